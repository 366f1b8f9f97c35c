import BluejayCore
import BluejayDeviceFile

extension DeviceFile {
    /// Returns the identifier of a characteristic, which counts the attributes with the same UUID.
    func identifier(of index: CharacteristicIndex) -> CharacteristicIdentifier {
        let service = services[index.service]
        let uuid = service.characteristics[index.characteristic].uuid
        return CharacteristicIdentifier(
            uuid: BluetoothUUID(string: uuid.description),
            service: ServiceIdentifier(
                uuid: BluetoothUUID(string: service.uuid.description),
                instance: services[..<index.service].count { $0.uuid == service.uuid }
            ),
            instance: service.characteristics[..<index.characteristic].count { $0.uuid == uuid }
        )
    }
}
