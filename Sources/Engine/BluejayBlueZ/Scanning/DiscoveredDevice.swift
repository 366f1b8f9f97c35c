package import BluejayCore
package import BluejayDBus
package import FoundationEssentials

/// A device as bluetoothd describes it after an advertisement.
package struct DiscoveredDevice: Equatable {
    package var path: ObjectPath
    package var address: DeviceAddress
    /// In dBm, or `nil` if it is unknown.
    package var rssi: Int?
    /// The advertised content; reports with equal contents differ in signal strength at most.
    package private(set) var content: Content
    /// Whether any client on this computer is connected to the device, which then may not advertise.
    package var isConnected = false

    package init(
        path: ObjectPath,
        address: DeviceAddress,
        name: String? = nil,
        rssi: Int? = nil,
        txPower: Int? = nil,
        uuids: [BluetoothUUID],
        manufacturerData: [UInt16: Data],
        serviceData: [BluetoothUUID: Data],
        appearance: UInt16? = nil,
        flags: UInt8? = nil,
        otherFields: [UInt8: Data] = [:],
        isConnected: Bool = false
    ) {
        self.path = path
        self.address = address
        self.rssi = rssi
        self.isConnected = isConnected
        content = Content(
            Content.Values(
                name: name,
                txPower: txPower,
                appearance: appearance,
                flags: flags,
                uuids: uuids,
                manufacturerData: manufacturerData,
                serviceData: serviceData,
                otherFields: otherFields
            )
        )
    }

    package var name: String? { content.values.name }
    package var txPower: Int? { content.values.txPower }
    package var appearance: UInt16? { content.values.appearance }
    package var flags: UInt8? { content.values.flags }
    package var uuids: [BluetoothUUID] { content.values.uuids }
    package var manufacturerData: [UInt16: Data] { content.values.manufacturerData }
    package var serviceData: [BluetoothUUID: Data] { content.values.serviceData }
    /// The fields that BlueZ does not interpret, by their type.
    package var otherFields: [UInt8: Data] { content.values.otherFields }

    /// The advertised values without the signal strength.
    ///
    /// Immutable and shared: reports that differ in signal strength alone share one content, which is
    /// compared by identity first. Comparing separate fields cost 5,000 instructions per report.
    package final class Content: Equatable, Swift.Sendable {
        fileprivate struct Values: Equatable {
            var name: String?
            var txPower: Int?
            var appearance: UInt16?
            var flags: UInt8?
            var uuids: [BluetoothUUID]
            var manufacturerData: [UInt16: Data]
            var serviceData: [BluetoothUUID: Data]
            var otherFields: [UInt8: Data]
        }

        fileprivate let values: Values

        fileprivate init(_ values: Values) {
            self.values = values
        }

        /// A copy with a change.
        fileprivate func with(_ change: (inout Values) -> Void) -> Content {
            var values = values
            change(&values)
            return Content(values)
        }

        package static func == (left: Content, right: Content) -> Bool {
            left === right || left.values == right.values
        }
    }
}

extension DiscoveredDevice {
    /// Reads the properties of a device; fails if it has no address.
    package init?(_ path: ObjectPath, _ device: Device1) {
        guard let address = device.address else { return nil }
        self.init(
            path: path,
            address: address,
            name: device.name,
            rssi: device.rssi,
            txPower: device.txPower,
            uuids: device.uuids,
            manufacturerData: device.manufacturerData,
            serviceData: device.serviceData,
            appearance: device.appearance,
            flags: device.flags,
            otherFields: device.otherFields,
            isConnected: device.isConnected
        )
    }

    /// Applies newly advertised values; a value of the wrong type counts as absent.
    mutating func apply(_ change: AdvertisementUpdate) {
        for entry in change.values {
            switch entry.field {
            case .rssi: rssi = BusNumber.signalStrength.read(entry.value)
            case .txPower:
                let new = BusNumber.transmitPower.read(entry.value)
                if new != txPower { content = content.with { $0.txPower = new } }
            case .manufacturerData:
                guard !Device1.isManufacturerData(entry.value, manufacturerData) else { continue }
                let new = Device1.manufacturerData(entry.value)
                content = content.with { $0.manufacturerData = new }
            case .serviceData:
                let new = Device1.serviceData(entry.value)
                if new != serviceData { content = content.with { $0.serviceData = new } }
            case .flags:
                let new = Device1.flags(entry.value)
                if new != flags { content = content.with { $0.flags = new } }
            case .data:
                let new = Device1.otherFields(entry.value)
                if new != otherFields { content = content.with { $0.otherFields = new } }
            }
        }
    }

    /// Whether the device has one of the services; `nil` matches any device.
    func hasOne(of services: Set<BluetoothUUID>?) -> Bool {
        guard let services else { return true }
        return uuids.contains(where: services.contains)
            || serviceData.keys.contains(where: services.contains)
    }
}
