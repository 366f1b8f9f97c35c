internal import BluejayDeviceFile
internal import BluejaySimulator
internal import BluejayStreams
internal import Foundation

/// A device described by a file.
struct DeviceFileLoader {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let file: DeviceFile

    /// Loads a file; `-` is standard input.
    init(_ path: String) throws(Failure) {
        let data: Data
        do {
            data = try InputFile.read(path, upTo: DeviceFile.maximumLengthInBytes)
        } catch {
            throw Failure(description: "\(path) \(error.predicate)")
        }
        do {
            file = try DeviceFile(json: Self.json(path, data))
        } catch {
            throw error as? Failure ?? Failure(description: "\(path): \(error)")
        }
    }

    private static func json(_ path: String, _ data: Data) throws(Failure) -> Data {
        guard DeviceFileFormat(ofFile: path) == .yaml else { return data }
        do {
            return try YAMLDeviceFile.json(path)
        } catch {
            throw Failure(description: error.description)
        }
    }

    /// Returns the address in the file, or `D0:FF:EE:00:00:01` and so on by `number`.
    func address(_ number: UInt8) -> String {
        file.address?.text ?? "D0:FF:EE:00:00:\(HexDigits.text([number]).uppercased())"
    }

    /// Creates the device; its number determines the default address.
    func device(_ number: UInt8) -> SimulatedDevice {
        let device = SimulatedDevice(
            address: address(number),
            isRandom: file.address?.isRandom ?? true,
            name: file.name,
            advertising: file.advertises.map(\.description)
        )
        for (company, bytes) in file.manufacturerData.sorted(by: { $0.key < $1.key }) {
            device.setManufacturerData(company, bytes)
        }
        let notifications = file.notificationsByCharacteristic
        for (index, service) in file.services.enumerated() {
            device.addService(
                service.uuid.description,
                service.characteristics.enumerated().map {
                    let position = DeviceFile.CharacteristicIndex(
                        service: index,
                        characteristic: $0.offset
                    )
                    return script($0.element, notifications[position] ?? [])
                },
                isPrimary: service.isPrimary
            )
        }
        return device
    }

    private func script(
        _ characteristic: DeviceFile.Characteristic,
        _ notifications: [DeviceFile.Notification]
    ) -> ScriptedCharacteristic {
        ScriptedCharacteristic(
            characteristic.uuid.description,
            characteristic.properties,
            .replays(
                notifications.map {
                    TimedValue(at: .milliseconds($0.milliseconds), $0.value)
                },
                holding: characteristic.value
            ),
            descriptors: characteristic.descriptors.map { ($0.uuid.description, $0.value) }
        )
    }
}
