import Glibc
import Synchronization

// Two threads add to a number that a lock protects: `swift` is a Mutex, `pthread` one of libc.
private final class Counter: @unchecked Sendable {
    let number = Mutex(0)
    var lock = pthread_mutex_t()
    var other = 0
}

private let counter = Counter()
private let usesMutex = CommandLine.arguments[1] == "swift"

private func start() -> pthread_t {
    var thread = pthread_t()
    pthread_create(
        &thread,
        nil,
        { _ in
            for _ in 0..<100_000 {
                if usesMutex {
                    counter.number.withLock { $0 += 1 }
                } else {
                    pthread_mutex_lock(&counter.lock)
                    counter.other += 1
                    pthread_mutex_unlock(&counter.lock)
                }
            }
            return nil
        },
        nil
    )
    return thread
}

for thread in [start(), start()] { pthread_join(thread, nil) }
print(usesMutex ? counter.number.withLock { $0 } : counter.other)
