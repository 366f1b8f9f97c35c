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

    /// The ATT MTU of the link, or `nil` before BlueZ 5.62.
    package var mtu: Int? { BusNumber.mtu.read(properties["MTU"]) }

    /// Reads the whole value; the reply is one `ay`.
    static func readValue(_ characteristic: ObjectPath) -> CallTemplate? {
        prepared(characteristic, "ReadValue", [.properties([])])
    }

    /// Writes a value; a write without response has the type `command`.
    static func writeValue(_ characteristic: ObjectPath, withResponse: Bool) -> BytesCallTemplate? {
        let call = MethodCall(to: BlueZ.service, at: characteristic, interface, "WriteValue")
        let type = BusValue.string(withResponse ? "request" : "command")
        return try? BytesCallTemplate(call, .properties([("type", type)]))
    }

    /// Subscribes this bus connection; values arrive as `PropertiesChanged` of `Value`.
    static func startNotify(_ characteristic: ObjectPath) -> CallTemplate? {
        prepared(characteristic, "StartNotify")
    }

    /// Unsubscribes this bus connection.
    static func stopNotify(_ characteristic: ObjectPath) -> CallTemplate? {
        prepared(characteristic, "StopNotify")
    }

    /// Acquires a socket for writes without response; the reply contains its end and the ATT MTU.
    static func acquireWrite(_ characteristic: ObjectPath) -> MethodCall {
        acquire(characteristic, "AcquireWrite")
    }

    /// Acquires a socket for notified values; the reply is the same as for writing.
    static func acquireNotify(_ characteristic: ObjectPath) -> MethodCall {
        acquire(characteristic, "AcquireNotify")
    }

    /// Reads the reply to `AcquireWrite` or `AcquireNotify`; `nil` if it is malformed.
    static func acquired(_ reply: [BusValue]) -> (end: BusFileDescriptor, mtu: Int)? {
        guard reply.count == 2, case .fileDescriptor(let end) = reply[0],
            let mtu = BusNumber.mtu.read(reply[1])
        else { return nil }
        return (end, mtu)
    }

    /// The value in the arguments of a `PropertiesChanged` signal that changes nothing else.
    static func onlyValue(_ message: BusReader) -> BusReader? {
        message.onlyChange(of: interface, to: "Value")
    }

    /// The value in a change that may contain other properties.
    static func value(_ changed: ObjectTree.Properties) -> Data? {
        changed["Value"]?.bytes.map { Data($0) }
    }

    private static func acquire(_ characteristic: ObjectPath, _ member: String) -> MethodCall {
        MethodCall(to: BlueZ.service, at: characteristic, interface, member, [.properties([])])
    }

    private static func prepared(
        _ characteristic: ObjectPath,
        _ member: String,
        _ arguments: [BusValue] = []
    ) -> CallTemplate? {
        let call = MethodCall(to: BlueZ.service, at: characteristic, interface, member, arguments)
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

    /// The ATT MTU of a characteristic's link, or `nil` if BlueZ does not report it.
    package func mtu(of characteristic: ObjectPath) -> Int? {
        properties(characteristic, GattCharacteristic1.interface)
            .flatMap { GattCharacteristic1($0).mtu }
    }
}

/// `org.bluez.GattCharacteristic1`, as exported to bluetoothd.
///
/// `WriteAcquired` is omitted because writes to its socket do not name the central. If a characteristic
/// has sockets, it has `NotifyAcquired`, and bluetoothd calls `AcquireNotify` instead of `StartNotify`.
enum ExportedGattCharacteristic1 {
    static func busInterface(
        _ characteristic: ExportedCharacteristic,
        service: ObjectPath
    ) -> BusInterface {
        let (uuid, flags) = (characteristic.uuid, characteristic.flags)
        let handler = characteristic.handler
        let acquiring = characteristic.sockets.map(AcquireNotifyRequest.members)
        return BusInterface(
            GattCharacteristic1.interface,
            properties: [
                BusProperty("UUID", "s", get: { .string(uuid) }),
                BusProperty("Service", "o", get: { .objectPath(service) }),
                BusProperty("Flags", "as", get: { .strings(flags) }),
            ] + [acquiring?.0].compactMap { $0 },
            methods: AttributeRequest.methods(handler) + [
                event("StartNotify") { [weak handler] in handler?.subscribed() },
                event("StopNotify") { [weak handler] in handler?.unsubscribed() },
                event("Confirm") { [weak handler] in handler?.confirmed() },
            ] + [acquiring?.1].compactMap { $0 }
        )
    }

    /// Returns the signal that makes bluetoothd send a value to every subscriber.
    static func valueChange(of characteristic: ObjectPath) -> PropertiesChangedTemplate? {
        try? PropertiesChangedTemplate(characteristic, GattCharacteristic1.interface, "Value")
    }

    private static func event(_ name: String, _ handle: @escaping () -> Void) -> BusMethod {
        BusMethod(name) { call in
            call.reply()
            handle()
        }
    }
}
