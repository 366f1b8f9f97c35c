import Bluejay
import BluejayCore
import BluejayDeviceFile
import Foundation

/// The recording of a device so far, and the omissions to report.
struct RecordedDevice: Equatable {
    private(set) var file = DeviceFile()
    /// The omissions since they were last taken.
    private var omissions: [String] = []

    /// Creates a recording; `name` is the name reported by the device itself, if any.
    init(_ device: PeripheralIdentifier, name: String?, _ advertisement: Advertisement?) {
        file.address = device.address.map {
            DeviceFile.Address(text: $0, isRandom: device.isRandomAddress ?? true)
        }
        let name = advertisement?.localName ?? name
        file.name = name.flatMap { $0.isEmpty ? nil : $0 }
        if let advertisement {
            addAdvertisement(advertisement)
        } else {
            omit("the advertisement: none was received")
        }
    }

    private mutating func addAdvertisement(_ advertisement: Advertisement) {
        for (company, data) in advertisement.manufacturerData.sorted(by: { $0.key < $1.key }) {
            file.manufacturerData[company] = Array(data)
            guard !advertisementFits else { continue }
            file.manufacturerData[company] = nil
            omit("the data of company \(company): the advertisement is full")
        }
        // For a device that was connected before, bluetoothd also lists the services it discovered.
        for uuid in advertisement.serviceUUIDs.compactMap({ AttributeUUID($0.uuidString) })
        where !DeviceFile.Service.reserved.contains(uuid.description) {
            guard !file.advertises.contains(uuid) else { continue }
            file.advertises.append(uuid)
            guard !advertisementFits else { continue }
            file.advertises.removeLast()
            omit("the advertised service \(uuid): the advertisement is full")
        }
        for uuid in advertisement.serviceData.keys.map(\.uuidString).sorted() {
            omit("the advertised data of service \(uuid)")
        }
    }

    private var advertisementFits: Bool {
        file.advertisementLength <= DeviceFile.maximumAdvertisementLength
    }

    private mutating func omit(_ what: String) { omissions.append(what) }

    /// Returns and clears the omissions since the last call.
    mutating func drainOmissions() -> [String] {
        defer { omissions = [] }
        return omissions
    }

    /// Adds a service without values.
    ///
    /// - Returns: Its index, or `nil` for a service that every device has.
    mutating func add(_ service: PeripheralService) -> Int? {
        guard let uuid = AttributeUUID(service.identifier.uuid.uuidString),
            !DeviceFile.Service.reserved.contains(uuid.description)
        else { return nil }
        for included in service.includedServices {
            omit("that \(uuid) includes \(included.uuid.uuidString)")
        }
        file.services.append(
            DeviceFile.Service(uuid: uuid, isPrimary: service.isPrimary, characteristics: [])
        )
        return file.services.count - 1
    }

    /// Adds a characteristic without a value to a service.
    ///
    /// - Returns: Its position, or `nil` if the file format cannot describe it.
    mutating func add(
        _ characteristic: PeripheralCharacteristic,
        to service: Int
    ) -> DeviceFile.CharacteristicIndex? {
        let possible = DeviceFile.Characteristic.possibleProperties
        let properties = characteristic.properties.flags.filter(possible.contains)
        guard let uuid = AttributeUUID(characteristic.identifier.uuid.uuidString),
            !properties.isEmpty
        else {
            omit("\(characteristic.identifier.displayText): no properties")
            return nil
        }
        file.services[service].characteristics.append(
            DeviceFile.Characteristic(uuid: uuid, properties: properties)
        )
        return DeviceFile.CharacteristicIndex(
            service: service,
            characteristic: file.services[service].characteristics.count - 1
        )
    }

    /// Stores the value of a characteristic, or records the omission.
    mutating func read(_ result: Result<Data, any Error>, at index: DeviceFile.CharacteristicIndex)
    {
        switch result {
        case .success(let data):
            file.services[index.service].characteristics[index.characteristic].value = Array(data)
        case .failure(let error):
            omit("the value of \(file.name(of: index)): \(ToolFailure(error).message)")
        }
    }

    /// Adds a descriptor with its value, or records the omission.
    mutating func read(
        _ descriptor: BluetoothUUID,
        _ result: Result<Data, any Error>,
        at index: DeviceFile.CharacteristicIndex
    ) {
        guard let uuid = AttributeUUID(descriptor.uuidString) else { return }
        switch result {
        case .success(let data):
            file.services[index.service].characteristics[index.characteristic].descriptors
                .append(DeviceFile.Descriptor(uuid: uuid, value: Array(data)))
        case .failure(let error):
            omit("\(uuid) of \(file.name(of: index)): \(ToolFailure(error).message)")
        }
    }

    /// Adds the received values, the earliest first.
    mutating func add(_ notifications: [DeviceFile.Notification]) {
        file.notifications = (file.notifications + notifications).enumerated()
            .sorted {
                ($0.element.milliseconds, $0.offset) < ($1.element.milliseconds, $1.offset)
            }
            .map(\.element)
    }

    func adding(_ notifications: [DeviceFile.Notification]) -> RecordedDevice {
        var copy = self
        copy.add(notifications)
        return copy
    }

    mutating func failedToListen(at index: DeviceFile.CharacteristicIndex, _ error: any Error) {
        omit("the notifications of \(file.name(of: index)): \(ToolFailure(error).message)")
    }
}
