internal import BluejayCore
internal import BluejayDBus

/// `org.bluez.Adapter1`: a Bluetooth controller.
package struct Adapter1 {
    package static let interface = "org.bluez.Adapter1"

    private let properties: ObjectTree.Properties

    package init(_ properties: ObjectTree.Properties) {
        self.properties = properties
    }

    package var address: String? { properties["Address"]?.text }

    /// Whether any client is discovering.
    var isDiscovering: Bool { properties["Discovering"]?.boolean == true }

    /// The version of bluetoothd, or `nil` if `Modalias` does not contain it.
    var bluezVersion: BlueZVersion? {
        properties["Modalias"]?.text.flatMap { BlueZVersion(modalias: $0) }
    }

    package var state: AdapterState {
        // `PowerState` exists since BlueZ 5.66. It reports a switch-off before the links are
        // disconnected, and it stays "on" briefly after an rfkill block.
        let powerState = properties["PowerState"]?.text
        if properties["Powered"]?.boolean == true, powerState != "on-disabling" { return .on }
        return powerState == "off-blocked" ? .blocked : .off
    }

    /// The adapter as users see it, or `nil` without an address.
    ///
    /// - Parameter name: The name of the adapter's object.
    /// - Returns: The properties of this interface only.
    func adapter(named name: String) -> BluetoothAdapter? {
        guard let address else { return nil }
        var adapter = BluetoothAdapter(name: name, address: address)
        adapter.isRandomAddress = properties["AddressType"]?.text == "random"
        adapter.alias = properties["Alias"]?.text ?? properties["Name"]?.text ?? ""
        adapter.isPowered = state == .on
        adapter.isBlocked = state == .blocked
        adapter.isDiscovering = isDiscovering
        adapter.bluezVersion = bluezVersion
        // `Roles` exists since BlueZ 5.54; earlier adapters are centrals.
        for role in properties["Roles"]?.texts ?? ["central"] {
            switch role {
            case "central": adapter.features.insert(.central)
            case "peripheral": adapter.features.insert(.peripheral)
            case "central-peripheral": adapter.features.insert(.centralAndPeripheral)
            default: break
            }
        }
        return adapter
    }

    /// Sets the discovery filter of this bus connection.
    ///
    /// - Parameters:
    ///   - adapter: The adapter's object.
    ///   - reportsDuplicates: Whether unchanged advertisements are reported, too.
    ///   - minimumRSSI: In dBm, -127 to 20. bluetoothd omits weaker devices and reports every RSSI
    ///     change of the others; `nil` reports all devices, and RSSI changes of 8 dB or more.
    /// - Returns: The call.
    static func setDiscoveryFilter(
        _ adapter: ObjectPath,
        reportsDuplicates: Bool,
        minimumRSSI: Int?
    ) -> MethodCall {
        var filter: BusProperties = [("Transport", .string("le"))]
        filter.append(("DuplicateData", .boolean(reportsDuplicates)))
        if let minimumRSSI { filter.append(("RSSI", .int16(Int16(clamping: minimumRSSI)))) }
        return call(adapter, "SetDiscoveryFilter", [.properties(filter)])
    }

    /// Starts the discovery of this bus connection; a second one fails with `InProgress`.
    static func startDiscovery(_ adapter: ObjectPath) -> MethodCall {
        call(adapter, "StartDiscovery")
    }

    /// Stops the discovery of this bus connection.
    static func stopDiscovery(_ adapter: ObjectPath) -> MethodCall {
        call(adapter, "StopDiscovery")
    }

    static func isStartDiscovery(_ call: MethodCall) -> Bool { call.member == "StartDiscovery" }

    static func call(
        _ adapter: ObjectPath,
        _ member: String,
        _ arguments: [BusValue] = []
    ) -> MethodCall {
        MethodCall(to: BlueZ.service, at: adapter, interface, member, arguments)
    }
}
