internal import BluejayGLib

/// How many writes without response wait, and so whether more are welcome.
///
/// None is ever refused or lost for their number. Who asks before each write keeps the number small; who
/// was told to wait hears when there is room again, with some to spare so that it does not happen for
/// every write.
struct WriteFlow: Equatable {
    /// With so many no more are welcome.
    static let full = 64
    /// With so few there is room again.
    static let enough = 32

    private var count = 0
    /// Whether another one is welcome.
    private(set) var isReady = true

    /// One was taken in.
    mutating func began() {
        count += 1
        if count >= Self.full { isReady = false }
    }

    /// One has ended; true when there is room again.
    mutating func ended() -> Bool {
        count -= 1
        guard !isReady, count <= Self.enough else { return false }
        isReady = true
        return true
    }
}

/// Counts the writes without response of one instance, and knows who waits for room.
final class WriteDesk {
    /// Whether they may go through a socket.
    var usesSockets = true
    /// Called when there is room again.
    var onReady: (() -> Void)?
    private var flow = WriteFlow()
    private var waiting: [Int: () -> Void] = [:]
    private var lastWaiting = 0

    var isReady: Bool { flow.isReady }
    /// The same for any thread.
    let shown = Snapshot(true)

    func began() {
        let wasReady = flow.isReady
        flow.began()
        if flow.isReady != wasReady { shown.value = flow.isReady }
    }

    func ended() {
        guard flow.ended() else { return }
        shown.value = true
        onReady?()
    }

    /// Calls once when there is room.
    func wait(_ ready: @escaping () -> Void) -> Int {
        lastWaiting += 1
        waiting[lastWaiting] = ready
        return lastWaiting
    }

    func endWait(_ number: Int) { waiting[number] = nil }

    /// Those who waited, in their order.
    func takeWaiting() -> [() -> Void] {
        defer { waiting = [:] }
        return waiting.sorted { $0.key < $1.key }.map(\.value)
    }
}

extension OperationRunner {
    /// Tells that there is room for writes without response, behind what is told already.
    func followWrites() {
        writes.onReady = { [weak self] in
            self?.scheduler.notify { [weak self] in self?.tellRoom() }
        }
    }

    /// Lets those go who wait for room that nobody gives any more.
    func endWaitsToWrite() {
        for ready in writes.takeWaiting() { ready() }
        followWrites()
    }

    private func tellRoom() {
        // A write that was made meanwhile may have taken it again.
        guard writes.isReady else { return }
        for ready in writes.takeWaiting() { ready() }
        guard let peripheral, queue.isConnected else { return }
        for observer in peripheralObservers.snapshot() {
            observer.peripheralIsReady(toSendWriteWithoutResponse: peripheral)
        }
    }

    /// Calls once when there is room for a write without response: in a later turn also when there is now.
    ///
    /// - Returns: What `WriteDesk.endWait` takes.
    func whenReadyToWrite(_ ready: @escaping () -> Void) -> Int {
        let number = writes.wait(ready)
        if writes.isReady {
            clock.later { [weak self] in
                for ready in self?.writes.takeWaiting() ?? [] { ready() }
            }
        }
        return number
    }
}
