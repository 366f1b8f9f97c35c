import BluejayCore
import Foundation

@testable import Bluejay

/// A device with this random address.
func device(_ name: String?, _ address: String = "C0:00:00:00:00:01") -> PeripheralIdentifier {
    // Tests use well-formed addresses only.
    guard
        let device = try? PeripheralIdentifier(address: address, isRandomAddress: true, name: name)
    else { fatalError("\(address) is not an address") }
    return device
}

func characteristic(
    _ uuid: String,
    of service: ServiceIdentifier,
    instance: Int = 0,
    _ properties: CharacteristicProperties = .read,
    descriptors: [String] = []
) -> PeripheralCharacteristic {
    PeripheralCharacteristic(
        identifier: CharacteristicIdentifier(uuid: uuid, service: service, instance: instance),
        properties: properties,
        descriptors: descriptors.map { BluetoothUUID(string: $0) }
    )
}

let keyboard: [PeripheralService] = {
    let battery = ServiceIdentifier(uuid: "180F")
    let second = ServiceIdentifier(uuid: "180F", instance: 1)
    let hid = ServiceIdentifier(uuid: "1812")
    let own = ServiceIdentifier(uuid: "6E400001-B5A3-F393-E0A9-E50E24DCCA9E")
    func service(
        _ identifier: ServiceIdentifier,
        _ characteristics: [PeripheralCharacteristic]
    ) -> PeripheralService {
        PeripheralService(
            identifier: identifier,
            isPrimary: identifier != second,
            characteristics: characteristics,
            includedServices: []
        )
    }
    return [
        service(
            battery,
            [characteristic("2A19", of: battery, [.read, .notify], descriptors: ["2902"])]
        ),
        service(second, [characteristic("2A19", of: second)]),
        service(
            hid,
            [
                characteristic("2A4D", of: hid),
                characteristic("2A4D", of: hid, instance: 1, descriptors: ["2902", "2908"]),
                characteristic("2A4A", of: hid),
            ]
        ),
        service(
            own,
            [
                characteristic(
                    "6E400002-B5A3-F393-E0A9-E50E24DCCA9E",
                    of: own,
                    [.write, .writeWithoutResponse]
                )
            ]
        ),
    ]
}()
