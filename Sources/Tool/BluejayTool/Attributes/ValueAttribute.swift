import Bluejay
import BluejayAsync
import BluejayCore
import Foundation

/// An attribute with a value: a characteristic, or one of its descriptors.
enum ValueAttribute: Hashable, Sendable {
    case characteristic(PeripheralCharacteristic)
    case descriptor(DescriptorIdentifier)

    var uuid: BluetoothUUID { descriptor?.uuid ?? characteristic.uuid }

    /// The characteristic itself, or that of the descriptor.
    var characteristic: CharacteristicIdentifier {
        switch self {
        case .characteristic(let characteristic): characteristic.identifier
        case .descriptor(let descriptor): descriptor.characteristic
        }
    }

    var descriptor: DescriptorIdentifier? {
        if case .descriptor(let descriptor) = self { descriptor } else { nil }
    }

    /// The attribute as ``CharacteristicReference`` parses it, such as `180D/2A37` or `181A/2A6E/2901`.
    ///
    /// - Parameter candidates: The attributes to distinguish it from, itself included.
    /// - Returns: The reference, always with the service.
    func displayText(among candidates: [ValueAttribute]) -> String {
        let owner = characteristic.displayText(
            withServiceInstance: candidates.contains { $0.characteristic.service.instance > 0 },
            withInstance: candidates.contains { $0.characteristic.instance > 0 }
        )
        guard let descriptor else { return owner }
        let always = candidates.contains { ($0.descriptor?.instance ?? 0) > 0 }
        return "\(owner)/\(descriptor.uuid.displayText(descriptor.instance, always: always))"
    }
}

extension ToolSession {
    /// Returns the matching characteristic of the connected device.
    func characteristic(_ name: CharacteristicReference) async throws -> PeripheralCharacteristic {
        try name.choose(from: try await services())
    }

    /// Returns the matching characteristic or descriptor of the connected device.
    func attribute(_ name: CharacteristicReference) async throws -> ValueAttribute {
        try name.chooseAttribute(from: try await services())
    }

    func read(_ attribute: ValueAttribute) async throws -> Data {
        switch attribute {
        case .characteristic(let characteristic):
            try await bluejay.read(from: characteristic.identifier, as: Data.self)
        case .descriptor(let descriptor): try await bluejay.read(from: descriptor, as: Data.self)
        }
    }

    /// Splits a value into the parts of its writes; the value of a descriptor is one part.
    func parts(
        of value: Data,
        for attribute: ValueAttribute,
        type: WriteType
    ) async throws -> [Data] {
        let length = try await bluejay.maximumWriteValueLength(for: type)
        return attribute.descriptor == nil ? InputValue.parts(of: value, of: length) : [value]
    }

    /// Writes one part of a value; a descriptor is always written with response.
    func write(_ part: Data, to attribute: ValueAttribute, type: WriteType) async throws {
        if let descriptor = attribute.descriptor {
            try await bluejay.write(to: descriptor, value: part)
        } else {
            try await bluejay.write(to: attribute.characteristic, value: part, type: type)
        }
    }
}
