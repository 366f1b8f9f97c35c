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
        isConnected: Bool = false
    ) {
        self.path = path
        self.address = address
        self.rssi = rssi
        self.isConnected = isConnected
        content = Content(
            name: name,
            txPower: txPower,
            uuids: uuids,
            manufacturerData: manufacturerData,
            serviceData: serviceData
        )
    }

    package var name: String? { content.name }
    package var txPower: Int? { content.txPower }
    package var uuids: [BluetoothUUID] { content.uuids }
    package var manufacturerData: [UInt16: Data] { content.manufacturerData }
    package var serviceData: [BluetoothUUID: Data] { content.serviceData }

    /// The advertised values without the signal strength.
    ///
    /// Immutable and shared: reports that differ in signal strength alone share one content, which is
    /// compared by identity first. Comparing separate fields cost 5,000 instructions per report.
    package final class Content: Equatable, Swift.Sendable {
        fileprivate let name: String?
        fileprivate let txPower: Int?
        fileprivate let uuids: [BluetoothUUID]
        fileprivate let manufacturerData: [UInt16: Data]
        fileprivate let serviceData: [BluetoothUUID: Data]

        fileprivate init(
            name: String?,
            txPower: Int?,
            uuids: [BluetoothUUID],
            manufacturerData: [UInt16: Data],
            serviceData: [BluetoothUUID: Data]
        ) {
            self.name = name
            self.txPower = txPower
            self.uuids = uuids
            self.manufacturerData = manufacturerData
            self.serviceData = serviceData
        }

        /// A copy with some values replaced; `nil` keeps a value.
        fileprivate func with(
            txPower: Int?? = nil,
            manufacturerData: [UInt16: Data]? = nil,
            serviceData: [BluetoothUUID: Data]? = nil
        ) -> Content {
            Content(
                name: name,
                txPower: txPower ?? self.txPower,
                uuids: uuids,
                manufacturerData: manufacturerData ?? self.manufacturerData,
                serviceData: serviceData ?? self.serviceData
            )
        }

        package static func == (left: Content, right: Content) -> Bool {
            left === right
                || left.manufacturerData == right.manufacturerData
                    && left.serviceData == right.serviceData && left.txPower == right.txPower
                    && left.uuids == right.uuids && left.name == right.name
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
                if new != txPower { content = content.with(txPower: .some(new)) }
            case .manufacturerData:
                let new = Device1.manufacturerData(entry.value)
                if new != manufacturerData { content = content.with(manufacturerData: new) }
            case .serviceData:
                let new = Device1.serviceData(entry.value)
                if new != serviceData { content = content.with(serviceData: new) }
            case .flags, .data: break
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
