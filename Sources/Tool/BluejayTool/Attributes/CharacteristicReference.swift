import Bluejay
import BluejayCommandLine
import BluejayCore

/// What somebody calls a characteristic: itself, and its service where that is needed.
struct CharacteristicReference: Equatable {
    private let text: String
    private let service: AttributeReference?
    private let characteristic: AttributeReference

    /// Reads `CHARACTERISTIC` or `SERVICE/CHARACTERISTIC`.
    init(_ text: String) {
        self.text = text
        let parts = text.split(separator: "/", maxSplits: 1)
        service = parts.count == 2 ? AttributeReference(parts[0]) : nil
        characteristic = AttributeReference(parts.last ?? "")
    }

    /// The one characteristic of a device that is meant.
    ///
    /// - Parameter services: All that the device has.
    /// - Returns: The characteristic with this UUID or this whole assigned name. The beginning of a name
    ///   is not enough: a write would reach an attribute that nobody named.
    /// - Throws: ``ToolFailure`` when there is none, or more than one.
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
                    + "`bluejay services` lists what it has"
            )
        default:
            let all = chosen.map(\.identifier)
            let names = all.map { one in
                one.shown(
                    withServiceInstance: all.contains { $0.service.instance > 0 },
                    withInstance: all.contains { $0.instance > 0 }
                )
            }.joined(separator: ", ")
            throw ToolFailure("\"\(text.printable)\" is more than one characteristic: \(names)")
        }
    }
}

extension ToolFailure {
    /// A failure of no special kind.
    init(_ message: String) {
        self.init(.failed, message)
    }
}

extension CharacteristicIdentifier {
    /// Such as `180D/2A37`: what ``CharacteristicReference`` reads.
    var shown: String { shown(withServiceInstance: false, withInstance: false) }

    /// The same, also with the instances that are the first.
    func shown(withServiceInstance: Bool, withInstance: Bool) -> String {
        let owner = service.uuid.shown(service.instance, always: withServiceInstance)
        return "\(owner)/\(uuid.shown(instance, always: withInstance))"
    }
}
