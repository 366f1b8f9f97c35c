internal import BluejayDBus

/// `org.bluez.AdvertisementMonitorManager1`: where an adapter takes monitors of advertisements.
///
/// BlueZ 5.56 and later, and only with `--experimental`; Linux 5.10 and later.
struct AdvertisementMonitorManager1 {
    static let interface = "org.bluez.AdvertisementMonitorManager1"

    private let properties: ObjectTree.Properties

    init(_ properties: ObjectTree.Properties) {
        self.properties = properties
    }

    /// Whether it takes monitors of the one kind that we have.
    var takesPatterns: Bool {
        properties["SupportedMonitorTypes"]?.texts?.contains(AdvertisementMonitor1.kind) ?? false
    }

    /// Has bluetoothd read the monitors below `application`; it answers then, and activates or releases
    /// each of them before or after that.
    static func registerMonitor(
        _ application: ObjectPath,
        at adapter: ObjectPath
    ) -> MethodCall {
        call(adapter, "RegisterMonitor", application)
    }

    /// Takes them back.
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
        MethodCall(BlueZ.service, adapter, interface, member, [.objectPath(application)])
    }
}

extension ObjectTree {
    /// Whether an adapter takes monitors of advertisements.
    func takesMonitors(_ adapter: ObjectPath) -> Bool {
        properties(adapter, AdvertisementMonitorManager1.interface).map {
            AdvertisementMonitorManager1($0).takesPatterns
        } ?? false
    }
}
