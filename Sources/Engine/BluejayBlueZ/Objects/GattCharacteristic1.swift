package import BluejayCore
package import BluejayDBus
internal import FoundationEssentials

/// `org.bluez.GattCharacteristic1`: a characteristic of a device.
package struct GattCharacteristic1 {
    package static let interface = "org.bluez.GattCharacteristic1"

    private let properties: ObjectTree.Properties

    package init(_ properties: ObjectTree.Properties) {
        self.properties = properties
    }

    package var uuid: BluetoothUUID? {
        properties["UUID"]?.text.map { BluetoothUUID(string: $0) }
    }

    package var attributeProperties: AttributeProperties {
        AttributeProperties(flags: properties["Flags"]?.texts ?? [])
    }

    /// The ATT MTU of the link; BlueZ before 5.62 does not tell it.
    package var mtu: Int? { BusNumber.mtu.read(properties["MTU"]) }

    /// Reads the whole value; the answer is one `ay`.
    static func readValue(_ characteristic: ObjectPath) -> CallTemplate? {
        prepared(characteristic, "ReadValue", [.properties([])])
    }

    /// Writes a value; without response it is a `command`.
    static func writeValue(_ characteristic: ObjectPath, withResponse: Bool) -> BytesCallTemplate? {
        let call = MethodCall(BlueZ.service, characteristic, interface, "WriteValue")
        let type = BusValue.string(withResponse ? "request" : "command")
        return try? BytesCallTemplate(call, .properties([("type", type)]))
    }

    /// Has values sent to this connection to the bus; they come as `PropertiesChanged` of `Value`.
    static func startNotify(_ characteristic: ObjectPath) -> CallTemplate? {
        prepared(characteristic, "StartNotify")
    }

    /// Ends it for this connection to the bus.
    static func stopNotify(_ characteristic: ObjectPath) -> CallTemplate? {
        prepared(characteristic, "StopNotify")
    }

    /// Asks for a socket that takes values without response; the answer is its end and the ATT MTU.
    static func acquireWrite(_ characteristic: ObjectPath) -> MethodCall {
        acquire(characteristic, "AcquireWrite")
    }

    /// Asks for a socket that gives the values that the peer sends; the answer is as for writing.
    static func acquireNotify(_ characteristic: ObjectPath) -> MethodCall {
        acquire(characteristic, "AcquireNotify")
    }

    /// What an answer to either has; nil when bluetoothd gave something else.
    static func acquired(_ answer: [BusValue]) -> (end: BusFileDescriptor, mtu: Int)? {
        guard answer.count == 2, case .descriptor(let end) = answer[0],
            let mtu = BusNumber.mtu.read(answer[1])
        else { return nil }
        return (end, mtu)
    }

    /// What the arguments of a `PropertiesChanged` tell as the value, when they tell of nothing else.
    static func onlyValue(_ message: BusReader) -> BusReader? {
        message.onlyChange(of: interface, to: "Value")
    }

    /// The value that a change tells of beside others.
    static func value(_ changed: ObjectTree.Properties) -> Data? {
        changed["Value"]?.bytes.map { Data($0) }
    }

    private static func acquire(_ characteristic: ObjectPath, _ member: String) -> MethodCall {
        MethodCall(BlueZ.service, characteristic, interface, member, [.properties([])])
    }

    private static func prepared(
        _ characteristic: ObjectPath,
        _ member: String,
        _ arguments: [BusValue] = []
    ) -> CallTemplate? {
        let call = MethodCall(BlueZ.service, characteristic, interface, member, arguments)
        return try? CallTemplate(call)
    }
}

/// A characteristic of a connected device.
package struct DiscoveredCharacteristic: Equatable {
    package var path: ObjectPath
    package var uuid: BluetoothUUID
    package var properties: AttributeProperties
    /// In the order of their handles.
    package var descriptors: [DiscoveredDescriptor]

    /// Whether the peer sends values by itself.
    package var canNotify: Bool { !properties.isDisjoint(with: [.notify, .indicate]) }
}

extension ObjectTree {
    func characteristics(of service: ObjectPath) -> [DiscoveredCharacteristic] {
        paths(with: GattCharacteristic1.interface, below: service).compactMap { path in
            guard let properties = properties(path, GattCharacteristic1.interface),
                let uuid = GattCharacteristic1(properties).uuid
            else { return nil }
            return DiscoveredCharacteristic(
                path: path,
                uuid: uuid,
                properties: GattCharacteristic1(properties).attributeProperties,
                descriptors: descriptors(of: path)
            )
        }
    }

    /// The ATT MTU of the link that a characteristic is reached by; nil when BlueZ does not tell it.
    package func mtu(of characteristic: ObjectPath) -> Int? {
        properties(characteristic, GattCharacteristic1.interface)
            .flatMap { GattCharacteristic1($0).mtu }
    }
}
