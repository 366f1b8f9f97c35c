package import BluejayCore
package import BluejayDBus
package import Foundation

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
    /// What bluetoothd tells of a device; nil when that has no address.
    init?(_ path: ObjectPath, _ device: Device1) {
        guard let address = device.address else { return nil }
        self.init(
            path: path,
            address: address,
            name: device.name,
            rssi: device.rssi,
            txPower: device.txPower,
            uuids: device.uuids,
            manufacturerData: device.manufacturerData.mapValues { Data($0) },
            serviceData: device.serviceData.mapValues { Data($0) },
            isConnected: device.isConnected
        )
    }

    /// Whether it has one of the services; nil is any.
    func hasOne(of services: Set<BluetoothUUID>?) -> Bool {
        guard let services else { return true }
        return uuids.contains(where: services.contains)
            || serviceData.keys.contains(where: services.contains)
    }
}
