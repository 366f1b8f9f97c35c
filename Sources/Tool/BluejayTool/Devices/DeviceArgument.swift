import BluejayCommandLine
import BluejayCore
import Foundation

/// What somebody calls a device.
enum DeviceArgument: Equatable {
    /// The one that was used last.
    case last
    /// An address, in upper case; whether it is random is not said.
    case address(String)
    /// What was once shown as the identifier.
    case identifier(PeripheralIdentifier)
    /// The name, or its beginning.
    case name(String)

    /// Reads an argument; nil is one that was left out.
    ///
    /// - Throws: ``ToolFailure`` for an identifier that no device has.
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
                    "\(text) is no identifier of a device; `bluejay scan --json` shows them"
                )
            }
            self = .identifier(device)
        } else {
            self = .name(text)
        }
    }

    /// How well a device fits.
    enum Fit: Int, Comparable {
        case notAtAll, beginning, otherCase, exactly

        static func < (left: Fit, right: Fit) -> Bool { left.rawValue < right.rawValue }
    }

    /// How well a device fits.
    ///
    /// - Parameter device: One that is known, or was seen.
    /// - Returns: ``Fit/exactly`` for an address and an identifier; a name may be cut, and in another case.
    func fit(_ device: PeripheralIdentifier) -> Fit {
        switch self {
        case .last: return .notAtAll
        case .address(let address): return device.address == address ? .exactly : .notAtAll
        case .identifier(let identifier): return device == identifier ? .exactly : .notAtAll
        case .name(let text):
            if device.name == text || device.name.printable == text { return .exactly }
            let (name, wanted) = (device.name.lowercased(), text.lowercased())
            if name == wanted { return .otherCase }
            return !wanted.isEmpty && name.hasPrefix(wanted) ? .beginning : .notAtAll
        }
    }

    /// The devices that fit best, in their order.
    ///
    /// - Parameter devices: Each once.
    /// - Returns: Those of the best fit; more than one cannot be told apart by this argument.
    func best(of devices: [PeripheralIdentifier]) -> [PeripheralIdentifier] {
        guard let fit = devices.map(fit).max(), fit > .notAtAll else { return [] }
        return devices.filter { self.fit($0) == fit }
    }
}

extension DeviceArgument: CustomStringConvertible {
    /// The words for a sentence.
    var description: String {
        switch self {
        case .last: "the device used last"
        case .address(let address): address
        case .identifier(let device): device.uuid.uuidString
        case .name(let name): "\"\(name.printable)\""
        }
    }
}
