internal import BluejayDBus

/// `org.bluez.AdvertisementMonitorManager1`: registers advertisement monitors at an adapter.
///
/// Requires Linux 5.10 and BlueZ 5.56 with `--experimental`.
struct AdvertisementMonitorManager1 {
    static let interface = "org.bluez.AdvertisementMonitorManager1"

    private let properties: ObjectTree.Properties

    init(_ properties: ObjectTree.Properties) {
        self.properties = properties
    }

    /// Whether the adapter supports pattern monitors, the only type that the engine uses.
    var supportsPatterns: Bool {
        properties["SupportedMonitorTypes"]?.texts?.contains(AdvertisementMonitor1.kind) ?? false
    }

    /// Registers the monitors below `application`.
    ///
    /// bluetoothd reads them before it replies, and activates or releases each of them before or after
    /// its reply.
    static func registerMonitor(
        _ application: ObjectPath,
        at adapter: ObjectPath
    ) -> MethodCall {
        call(adapter, "RegisterMonitor", application)
    }

    static func unregisterMonitor(
        _ application: ObjectPath,
        at adapter: ObjectPath
    ) -> MethodCall {
        call(adapter, "UnregisterMonitor", application)
    }

    private static func call(
        _ adapter: ObjectPath,
        _ member: String,
        _ application: ObjectPath
    ) -> MethodCall {
        MethodCall(to: BlueZ.service, at: adapter, interface, member, [.objectPath(application)])
    }
}

extension ObjectTree {
    func supportsMonitors(_ adapter: ObjectPath) -> Bool {
        properties(adapter, AdvertisementMonitorManager1.interface).map {
            AdvertisementMonitorManager1($0).supportsPatterns
        } ?? false
    }
}
