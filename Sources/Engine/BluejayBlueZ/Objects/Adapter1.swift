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

    /// Whether anybody discovers.
    var isDiscovering: Bool { properties["Discovering"]?.boolean == true }

    /// Which bluetoothd has it; nil where `Modalias` does not say.
    var bluezVersion: BlueZVersion? {
        properties["Modalias"]?.text.flatMap { BlueZVersion(modalias: $0) }
    }

    /// Whether it can be used now.
    package var state: AdapterState {
        // `PowerState` exists since BlueZ 5.66. It tells of a switch-off before the links are cut, and
        // after rfkill it says "on" for a moment too long.
        let powerState = properties["PowerState"]?.text
        if properties["Powered"]?.boolean == true, powerState != "on-disabling" { return .on }
        return powerState == "off-blocked" ? .blocked : .off
    }

    /// What users are told of it; nil without an address.
    ///
    /// - Parameter name: That of the object.
    /// - Returns: All but what other objects and interfaces say.
    func facts(named name: String) -> BluetoothAdapter? {
        guard let address else { return nil }
        var facts = BluetoothAdapter(name: name, address: address)
        facts.isRandomAddress = properties["AddressType"]?.text == "random"
        facts.alias = properties["Alias"]?.text ?? properties["Name"]?.text ?? ""
        facts.isPowered = state == .on
        facts.isBlocked = state == .blocked
        facts.isDiscovering = isDiscovering
        facts.bluezVersion = bluezVersion
        // `Roles` exists since BlueZ 5.54; every adapter of before was a central.
        for role in properties["Roles"]?.texts ?? ["central"] {
            switch role {
            case "central": facts.features.insert(.central)
            case "peripheral": facts.features.insert(.peripheral)
            case "central-peripheral": facts.features.insert(.centralAndPeripheral)
            default: break
            }
        }
        return facts
    }

    /// What is discovered from now on by this connection to the bus.
    ///
    /// - Parameters:
    ///   - adapter: Its object.
    ///   - reportsDuplicates: Whether every advertisement is told, changed or not.
    ///   - minimumRSSI: In dBm, -127 to 20: what is weaker is not told, and every change of what is
    ///     not; nil is every device, with changes of 8 dB.
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

    /// Begins the discovery of this connection to the bus; a second one is `InProgress`.
    static func startDiscovery(_ adapter: ObjectPath) -> MethodCall {
        call(adapter, "StartDiscovery")
    }

    /// Ends the discovery of this connection to the bus.
    static func stopDiscovery(_ adapter: ObjectPath) -> MethodCall {
        call(adapter, "StopDiscovery")
    }

    /// Whether a call is one that begins a discovery.
    static func isStart(_ call: MethodCall) -> Bool { call.member == "StartDiscovery" }

    static func call(
        _ adapter: ObjectPath,
        _ member: String,
        _ arguments: [BusValue] = []
    ) -> MethodCall {
        MethodCall(BlueZ.service, adapter, interface, member, arguments)
    }
}
