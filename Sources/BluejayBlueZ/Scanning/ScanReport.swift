package import BluejayCore
package import BluejayDBus
package import FoundationEssentials

/// One device as bluetoothd describes it after an advertisement.
package struct ScanReport: Equatable {
    package var path: ObjectPath
    package var address: DeviceAddress
    package var name: String?
    /// In dBm; nil when it is not known.
    package var rssi: Int?
    package var txPower: Int?
    package var uuids: [BluetoothUUID]
    package var manufacturerData: [UInt16: Data]
    package var serviceData: [BluetoothUUID: Data]
    /// Whether somebody on this machine is connected to it; it need not advertise then.
    package var isConnected = false
}

extension ScanReport {
    /// Everything that a device advertises, without its strength.
    package struct Content: Equatable {
        private let name: String?
        private let txPower: Int?
        private let uuids: [BluetoothUUID]
        private let manufacturerData: [UInt16: Data]
        private let serviceData: [BluetoothUUID: Data]

        fileprivate init(_ report: ScanReport) {
            name = report.name
            txPower = report.txPower
            uuids = report.uuids
            manufacturerData = report.manufacturerData
            serviceData = report.serviceData
        }
    }

    /// What the device advertises: two reports with the same content differ in strength at most.
    package var content: Content { Content(self) }
}

extension ScanReport {
    /// What bluetoothd tells of a device; nil when that has no address.
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

    /// Takes over what the device advertised since; what is of a wrong type counts as not told.
    mutating func apply(_ change: AdvertisedChange) {
        for told in change.values {
            switch told.part {
            case .strength: rssi = BusNumber.signalStrength.read(told.value)
            case .txPower: txPower = BusNumber.transmitPower.read(told.value)
            case .manufacturerData: manufacturerData = Device1.manufacturerData(told.value)
            case .serviceData: serviceData = Device1.serviceData(told.value)
            case .flags, .data: break
            }
        }
    }

    /// Whether it has one of the services; nil is any.
    func hasOne(of services: Set<BluetoothUUID>?) -> Bool {
        guard let services else { return true }
        return uuids.contains(where: services.contains)
            || serviceData.keys.contains(where: services.contains)
    }
}
