internal import BluejayBlueZ
internal import FoundationEssentials

/// What one instance says, by label.
struct InstanceLog {
    /// Calls, their turns and their ends.
    let queue: Log
    /// Bluetooth, the connection, and what becomes of it.
    let connection: Log
    /// What an earlier run left.
    let restoration: Log
    /// Those who hear the lines as text, also when the instance itself has gone.
    let observers: LogObservers

    init(_ observers: LogObservers, instance: UUID = UUID()) {
        // Enough to tell the instances of a program apart.
        let instance = String(instance.uuidString.prefix(8))
        func log(_ label: String) -> Log { Log(label, to: observers, ["instance": instance]) }
        queue = log("bluejay.queue")
        connection = log("bluejay.connection")
        restoration = log("bluejay.restoration")
        self.observers = observers
    }
}

/// The log observers of one instance.
final class LogObservers: LogSink {
    var list = WeakObservers<any LogObserver>()
    /// Where lines wait that are of no single instance.
    private weak var hub: LogDispatcher?

    var hearers: [LogSubscriber] {
        list.snapshot().map { observer in LogSubscriber(observer) { observer.debug($0) } }
    }

    /// Hears what concerns everybody on a connection, from now on or no more.
    func follow(_ new: LogDispatcher?) {
        hub?.remove(self)
        hub = new
        new?.add(self)
    }

    func hear(_ line: String) {
        if let hub, hub.takes(line, of: self) { return }
        for hearer in hearers { hearer.hear(line) }
    }
}
