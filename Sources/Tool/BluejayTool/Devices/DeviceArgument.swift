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
        if let device = try? PeripheralIdentifier(address: text, isRandomAddress: false, name: nil),
            let address = device.address
        {
            self = .address(address)
        } else if let uuid = UUID(uuidString: text) {
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

    enum MatchQuality: Int, Comparable {
        case noMatch, prefix, caseInsensitive, exact

        static func < (left: MatchQuality, right: MatchQuality) -> Bool {
            left.rawValue < right.rawValue
        }
    }

    /// Returns the quality of the match with a device; a name may be a prefix or differ in case.
    func matchQuality(_ device: PeripheralIdentifier) -> MatchQuality {
        switch self {
        case .last: return .noMatch
        case .address(let address): return device.address == address ? .exact : .noMatch
        case .identifier(let identifier): return device == identifier ? .exact : .noMatch
        case .name(let text):
            if device.name == text || device.name.printable == text { return .exact }
            let (name, text) = (device.name.lowercased(), text.lowercased())
            if name == text { return .caseInsensitive }
            return !text.isEmpty && name.hasPrefix(text) ? .prefix : .noMatch
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
