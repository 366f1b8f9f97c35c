import ArgumentParser
import Bluejay
import BluejayCommandLine
import BluejayCore

/// A reference to a characteristic or a descriptor, optionally with the attributes that contain it.
struct CharacteristicReference: Equatable {
    private let text: String
    private let parts: [AttributeReference]

    /// Parses `CHARACTERISTIC`, `SERVICE/CHARACTERISTIC`, `CHARACTERISTIC/DESCRIPTOR` or
    /// `SERVICE/CHARACTERISTIC/DESCRIPTOR`.
    init(_ text: String) {
        self.text = text
        parts = text.split(separator: "/", omittingEmptySubsequences: false)
            .map { AttributeReference($0) }
    }

    /// Whether a device may have the characteristic, by the form of the text.
    var isPlausible: Bool {
        // The identifier of a device has the form of a UUID.
        if case .identifier? = try? DeviceArgument(text) { return false }
        guard let first = parts.first else { return false }
        return parts.count == 1 ? first.isCharacteristic : first.assigned != nil
    }

    /// Returns the one matching characteristic of a device.
    ///
    /// - Parameter services: All services of the device.
    /// - Returns: The characteristic, as in ``chooseAttribute(from:)``.
    /// - Throws: ``ToolFailure`` if none or several match, or if a descriptor does.
    func choose(from services: [PeripheralService]) throws -> PeripheralCharacteristic {
        switch try chooseAttribute(from: services) {
        case .characteristic(let characteristic): return characteristic
        case .descriptor:
            throw ToolFailure("\"\(text.printable)\" is a descriptor; specify a characteristic")
        }
    }

    /// Returns the one matching characteristic or descriptor of a device.
    ///
    /// - Parameter services: All services of the device.
    /// - Returns: The attribute with this UUID or this whole assigned name. A prefix of a name does not
    ///   match, because a write could then reach an attribute the user did not name.
    /// - Throws: ``ToolFailure`` if none or several match.
    func chooseAttribute(from services: [PeripheralService]) throws -> ValueAttribute {
        let chosen = characteristics(in: services) + descriptors(in: services)
        switch chosen.count {
        case 1: return chosen[0]
        case 0:
            let kind = isDescriptor(in: services) ? "descriptor" : "characteristic"
            throw ToolFailure(
                "the device has no \(kind) \"\(text.printable)\"; "
                    + "`bluejay services` lists them"
            )
        default:
            let names = chosen.map { $0.displayText(among: chosen) }.joined(separator: ", ")
            throw ToolFailure("\"\(text.printable)\" is ambiguous: \(names)")
        }
    }

    private func characteristics(in services: [PeripheralService]) -> [ValueAttribute] {
        guard parts.count <= 2 else { return [] }
        return Self.matches(parts[...], in: services).map { .characteristic($0) }
    }

    private func descriptors(in services: [PeripheralService]) -> [ValueAttribute] {
        guard (2...3).contains(parts.count) else { return [] }
        return Self.matches(parts.dropLast(), in: services).flatMap(\.descriptorIdentifiers)
            .filter { parts[parts.count - 1].matches($0.uuid, instance: $0.instance) }
            .map { .descriptor($0) }
    }

    /// Whether everything before the last part is a characteristic of the device.
    private func isDescriptor(in services: [PeripheralService]) -> Bool {
        parts.count == 3
            || parts.count == 2 && !Self.matches(parts.dropLast(), in: services).isEmpty
    }

    /// Returns the characteristics that match `CHARACTERISTIC` or `SERVICE/CHARACTERISTIC`.
    private static func matches(
        _ parts: ArraySlice<AttributeReference>,
        in services: [PeripheralService]
    ) -> [PeripheralCharacteristic] {
        guard let own = parts.last else { return [] }
        let service = parts.dropLast().last
        return services.flatMap(\.characteristics).filter { candidate in
            let identifier = candidate.identifier
            let owner = identifier.service
            return own.matches(identifier.uuid, instance: identifier.instance)
                && service?.matches(owner.uuid, instance: owner.instance) ?? true
        }
    }
}

extension ToolFailure {
    init(_ message: String) {
        self.init(.failed, message)
    }
}

extension CharacteristicIdentifier {
    /// The characteristic as ``CharacteristicReference`` parses it, such as `180D/2A37`.
    var displayText: String { displayText(withServiceInstance: false, withInstance: false) }

    /// The same, optionally with the index of the first instance.
    func displayText(withServiceInstance: Bool, withInstance: Bool) -> String {
        let owner = service.uuid.displayText(service.instance, always: withServiceInstance)
        return "\(owner)/\(uuid.displayText(instance, always: withInstance))"
    }
}

/// A device and one of its characteristics; the device is optional.
struct CharacteristicArguments: ParsableArguments {
    @Argument(help: deviceHelp, completion: .devicesOrCharacteristics)
    var device: String?

    @Argument(
        help: ArgumentHelp(
            "Its UUID or its name: 2A37, battery-level, 180F/2A19, 2A4D#1.",
            valueName: "characteristic"
        ),
        completion: .characteristics
    )
    var second: String?

    func validate() throws {
        if second == nil { try Self.checkAlone(device) }
    }

    /// Checks that a single argument is a characteristic.
    static func checkAlone(_ argument: String?) throws {
        guard let argument, argument != "-" else {
            throw ValidationError("specify a characteristic, such as 2A37 or battery-level")
        }
        guard !CharacteristicReference(argument).isPlausible else { return }
        throw ValidationError(
            "device or characteristic? \"\(argument.printable)\" is neither a UUID nor the assigned "
                + "name of a characteristic; if it is a device, add the characteristic"
        )
    }

    /// The parsed arguments; a single argument is the characteristic.
    var resolved: (device: String?, characteristic: CharacteristicReference) {
        guard let second else { return (nil, CharacteristicReference(device ?? "")) }
        return (device, CharacteristicReference(second))
    }
}
