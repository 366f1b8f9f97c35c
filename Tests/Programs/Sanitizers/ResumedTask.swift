import Glibc

// A thread makes an object and resumes the continuation of a task with it.
private final class Parcel: Sendable {
    let number = 1
}

private final class Waiter: Sendable {
    let continuation: CheckedContinuation<Parcel, Never>

    init(_ continuation: CheckedContinuation<Parcel, Never>) {
        self.continuation = continuation
    }
}

private func parcel() async -> Parcel {
    await withCheckedContinuation { continuation in
        let waiter = Unmanaged.passRetained(Waiter(continuation))
        var thread = pthread_t()
        pthread_create(
            &thread,
            nil,
            { data in
                guard let data else { return nil }
                let waiter = Unmanaged<Waiter>.fromOpaque(data).takeRetainedValue()
                waiter.continuation.resume(returning: Parcel())
                return nil
            },
            waiter.toOpaque()
        )
        pthread_detach(thread)
    }
}

@main
private struct ResumedTask {
    static func main() async {
        let tasks = (0..<4).map { _ in
            Task.detached {
                var sum = 0
                for _ in 0..<100 { sum += await parcel().number }
                return sum
            }
        }
        var sum = 0
        for task in tasks { sum += await task.value }
        print(sum)
    }
}
