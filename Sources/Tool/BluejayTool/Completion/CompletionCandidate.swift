import BluejayCommandLine
import BluejayCore
import Foundation

/// A text that completion offers for an object.
///
/// The scripts of the shells expand and split the offered texts, and any device can choose its name. A text
/// therefore has no character that a shell interprets.
struct CompletionCandidate: Equatable {
    let text: String
    /// A UUID or an address, offered if no text begins like the typed word.
    let alternative: String?

    /// Returns the texts that continue a typed word.
    static func texts(_ candidates: [CompletionCandidate], for word: String) -> [String] {
        let prefix = unquoted(word)
        let texts = candidates.map(\.text).filter { $0.hasPrefix(prefix) }
        guard texts.isEmpty, !prefix.isEmpty else { return texts }
        return candidates.compactMap(\.alternative)
            .filter { $0.lowercased().hasPrefix(prefix.lowercased()) }
            .map { prefix + $0.dropFirst(prefix.count) }
    }

    /// Removes the quotation marks and the backslashes from a word of a command line.
    static func unquoted(_ word: String) -> String { word.filter { !"'\"\\".contains($0) } }
}

extension CompletionCandidate {
    /// Creates the candidates for devices: the name, or the address if several devices have the
    /// name or a shell would interpret it.
    static func devices(_ devices: [PeripheralIdentifier]) -> [CompletionCandidate] {
        devices.compactMap { device in
            // A colon separates words in bash and descriptions in zsh.
            let address = (device.address ?? device.uuid.uuidString).replacing(":", with: "-")
            let isUnique = devices.count { $0.name == device.name } == 1
            guard isUnique, isSafe(device.name),
                (try? DeviceArgument(device.name)) == .name(device.name)
            else { return CompletionCandidate(text: address, alternative: nil) }
            return CompletionCandidate(text: device.name, alternative: address)
        }
    }

    private static func isSafe(_ name: String) -> Bool {
        guard let first = name.first, let last = name.last, first.isLetter || first.isNumber,
            last != " "
        else { return false }
        return name == name.printable
            && name.allSatisfy { $0.isLetter || $0.isNumber || " -_.+".contains($0) }
    }
}
