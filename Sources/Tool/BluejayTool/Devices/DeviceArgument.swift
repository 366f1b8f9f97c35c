import BluejayCommandLine
import BluejayCore
import Foundation

/// The device argument of a command.
enum DeviceArgument: Equatable {
    case last
    /// An address, in upper case; its type is not given.
    case address(String)
    /// An identifier from an earlier output.
    case identifier(PeripheralIdentifier)
    /// The name, or its beginning.
    case name(String)

    /// The effect of a command on the device.
    enum Use {
        /// It changes nothing, so the beginning of a name is enough.
        case reading
        /// It changes the device, this machine or both, so the name must be whole.
        case changing

        var lowestMatch: MatchQuality { self == .reading ? .prefix : .exact }
    }

    /// Parses an argument; `nil` means that it was omitted.
    ///
    /// - Throws: ``ToolFailure`` for an identifier that cannot belong to a device.
    init(_ text: String?) throws {
        guard let text, text != "-" else {
            self = .last
            return
        }
        if let address = Self.address(text) {
            self = .address(address)
        } else if let uuid = UUID(uuidString: text.hyphenatedUUID) {
            let device = PeripheralIdentifier(uuid: uuid, name: nil)
            guard device.address != nil else {
                throw ToolFailure(
                    .noDevice,
                    "unknown identifier \(text); `bluejay scan --json` lists the identifiers"
                )
            }
            self = .identifier(device)
        } else {
            self = .name(text)
        }
    }

    /// Returns the address with colons and in upper case, from one with colons, hyphens or no separators.
    ///
    /// Twelve digits are an address, even if a device has them as its name.
    static func address(_ text: String) -> String? {
        let isWithoutSeparators = text.utf8.count == 12 && text.allSatisfy(\.isHexDigit)
        let pairs =
            isWithoutSeparators
            ? stride(from: 0, to: 12, by: 2).map { text.dropFirst($0).prefix(2) }
                .joined(separator: ":")
            : text
        return (try? PeripheralIdentifier(address: pairs))?.address
    }

    enum MatchQuality: Int, Comparable {
        case noMatch, prefix, caseInsensitive, exact

        static func < (left: MatchQuality, right: MatchQuality) -> Bool {
            left.rawValue < right.rawValue
        }
    }

    /// Returns the quality of the match with a device; a name may be a prefix or differ in case.
    ///
    /// The name is also compared as a terminal shows it.
    func matchQuality(_ device: PeripheralIdentifier) -> MatchQuality {
        switch self {
        case .last: return .noMatch
        case .address(let address): return device.address == address ? .exact : .noMatch
        case .identifier(let identifier): return device == identifier ? .exact : .noMatch
        case .name(let text):
            if device.name == text || device.name.printable == text { return .exact }
            let names = [device.name, device.name.printable].map { $0.lowercased() }
            let lowercased = text.lowercased()
            if names.contains(lowercased) { return .caseInsensitive }
            guard !text.isEmpty else { return .noMatch }
            return names.contains { $0.hasPrefix(lowercased) } ? .prefix : .noMatch
        }
    }

    /// Returns the best matches, in their order; several mean that the argument is ambiguous.
    func best(
        of devices: [PeripheralIdentifier],
        for use: Use = .reading
    ) -> [PeripheralIdentifier] {
        guard let fit = devices.map(matchQuality).max(), fit >= use.lowestMatch else { return [] }
        return devices.filter { self.matchQuality($0) == fit }
    }
}

extension DeviceArgument: CustomStringConvertible {
    /// The argument as a part of a sentence.
    var description: String {
        switch self {
        case .last: "the device used last"
        case .address(let address): address
        case .identifier(let device): device.uuid.uuidString
        case .name(let name): "\"\(name.printable)\""
        }
    }
}
