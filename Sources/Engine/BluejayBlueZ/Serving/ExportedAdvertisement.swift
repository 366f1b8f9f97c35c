package import BluejayDBus
internal import BluejayGLib

/// An advertisement that bluetoothd can register.
package final class ExportedAdvertisement: RegistrableObject {
    private let content: LEAdvertisement1
    private let path: ObjectPath
    private let client: BlueZClient
    private var clock: any EventClock { client.clock }
    /// The adapter of the latest registration.
    private var adapter: ObjectPath?
    /// The end of its time limit; `nil` before the first registration and without a limit.
    package private(set) var endTime: Duration?

    /// Called when bluetoothd releases the advertisement, with whether its time limit was reached.
    package var onReleased: ((Bool) -> Void)?

    /// - Parameters:
    ///   - content: The properties that bluetoothd reads at registration.
    ///   - path: A path that no other object has.
    ///   - client: The connection to bluetoothd, and the clock for the time limit.
    ///   - endTime: The end of the time limit, for an advertisement that was registered before.
    package init(
        _ content: LEAdvertisement1,
        at path: ObjectPath,
        client: BlueZClient,
        endTime: Duration? = nil
    ) {
        self.content = content
        self.path = path
        self.client = client
        self.endTime = endTime
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
            // bluetoothd reads the remaining time at each registration.
            timeout: { [weak self] in self?.remaining },
            canSetTxPower: { [weak self] in self?.canSetTxPower ?? false },
            release: { [weak self] in
                // bluetoothd also releases all advertisements before it exits.
                if let self { onReleased?(isExpired) }
            }
        )
        objects.export([interface], at: path)
    }

    package func unexport(from objects: ObjectServer) {
        objects.unexport(path)
    }

    package func registered() {
        if endTime == nil { endTime = content.timeout.map { clock.now + $0 } }
    }

    // bluetoothd counts whole seconds, starting shortly before its reply arrived.
    package var isExpired: Bool { endTime.map { $0 - clock.now < .seconds(1) } ?? false }

    private var canSetTxPower: Bool {
        let capabilities = adapter.flatMap {
            LEAdvertisingManager1.capabilities(of: $0, in: client.objects)
        }
        return capabilities?.canSetTxPower ?? false
    }

    private var remaining: Duration? {
        let timeLeft = endTime.map { $0 - clock.now } ?? content.timeout
        return timeLeft.map { max($0, .seconds(1)) }
    }
}
