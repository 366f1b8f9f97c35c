package import BluejayDBus
internal import BluejayGLib

/// One advertisement on the bus.
package final class ServedAdvertisement: RegistrableObject {
    private let content: LEAdvertisement1
    private let path: ObjectPath
    private let client: BlueZClient
    private var clock: any EventClock { client.clock }
    /// The adapter that it was registered at last.
    private var adapter: ObjectPath?
    /// When its time is over; nil before it was on the air, and for one without a limit.
    package private(set) var end: Duration?

    /// Called when bluetoothd lets it go; true when its time was over.
    package var onReleased: ((Bool) -> Void)?

    /// - Parameters:
    ///   - content: What bluetoothd reads when it is registered.
    ///   - path: A path that nothing else has.
    ///   - client: Where bluetoothd is, and the clock that tells what is left of its time.
    ///   - end: When its time is over, for one that was on the air before.
    package init(
        _ content: LEAdvertisement1,
        at path: ObjectPath,
        client: BlueZClient,
        end: Duration? = nil
    ) {
        self.content = content
        self.path = path
        self.client = client
        self.end = end
    }

    package func registration(at adapter: ObjectPath) -> MethodCall {
        self.adapter = adapter
        return LEAdvertisingManager1.registerAdvertisement(path, at: adapter)
    }

    package func unregistration(at adapter: ObjectPath) -> MethodCall {
        LEAdvertisingManager1.unregisterAdvertisement(path, at: adapter)
    }

    package func export(on objects: ObjectServer) {
        let interface = content.busInterface(
            // What is left of its time is asked for at each registration.
            timeout: { [weak self] in self?.remaining },
            canSetTxPower: { [weak self] in self?.canSetTxPower ?? false },
            release: { [weak self] in
                // bluetoothd lets all of them go, too, before it exits.
                if let self { onReleased?(isOver) }
            }
        )
        objects.export([interface], at: path)
    }

    package func unexport(from objects: ObjectServer) {
        objects.unexport(path)
    }

    package func registered() {
        if end == nil { end = content.timeout.map { clock.now + $0 } }
    }

    // bluetoothd counts whole seconds, from a moment before its answer came.
    package var isOver: Bool { end.map { $0 - clock.now < .seconds(1) } ?? false }

    private var canSetTxPower: Bool {
        let facts = adapter.flatMap { LEAdvertisingManager1.facts(of: $0, in: client.objects) }
        return facts?.canSetTxPower ?? false
    }

    private var remaining: Duration? {
        let left = end.map { $0 - clock.now } ?? content.timeout
        return left.map { max($0, .seconds(1)) }
    }
}
