import ArgumentParser
import Bluejay
import BluejayCommandLine
import BluejayCore

/// A reference to a characteristic, optionally with its service.
struct CharacteristicReference: Equatable {
    private let text: String
    private let service: AttributeReference?
    private let characteristic: AttributeReference

    /// Parses `CHARACTERISTIC` or `SERVICE/CHARACTERISTIC`.
    init(_ text: String) {
        self.text = text
        let parts = text.split(separator: "/", maxSplits: 1)
        service = parts.count == 2 ? AttributeReference(parts[0]) : nil
        characteristic = AttributeReference(parts.last ?? "")
    }

    /// Returns the one matching characteristic of a device.
    ///
    /// - Parameter services: All services of the device.
    /// - Returns: The characteristic with this UUID or this whole assigned name. A prefix of a name does not
    ///   match, because a write could then reach an attribute the user did not name.
    /// - Throws: ``ToolFailure`` if none or several match.
    func choose(from services: [PeripheralService]) throws -> PeripheralCharacteristic {
        let chosen = services.flatMap(\.characteristics).filter { candidate in
            let identifier = candidate.identifier
            let owner = identifier.service
            return characteristic.matches(identifier.uuid, instance: identifier.instance)
                && service?.matches(owner.uuid, instance: owner.instance) ?? true
        }
        switch chosen.count {
        case 1: return chosen[0]
        case 0:
            throw ToolFailure(
                "the device has no characteristic \"\(text.printable)\"; "
                    + "`bluejay services` lists them"
            )
        default:
            let all = chosen.map(\.identifier)
            let names = all.map { one in
                one.displayText(
                    withServiceInstance: all.contains { $0.service.instance > 0 },
                    withInstance: all.contains { $0.instance > 0 }
                )
            }.joined(separator: ", ")
            throw ToolFailure("\"\(text.printable)\" is ambiguous: \(names)")
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
    @Argument(help: deviceHelp)
    var device: String

    @Argument(
        help: ArgumentHelp(
            "Its UUID or its name: 2A37, battery-level, 180F/2A19, 2A4D#1.",
            valueName: "characteristic"
        )
    )
    var second: String?

    /// The parsed arguments; a single argument is the characteristic.
    var resolved: (device: String?, characteristic: CharacteristicReference) {
        guard let second else { return (nil, CharacteristicReference(device)) }
        return (device, CharacteristicReference(second))
    }
}
