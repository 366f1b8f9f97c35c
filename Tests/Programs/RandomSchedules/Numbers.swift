import Bluejay
import Synchronization

/// Numbers that are sent and written, each once in a run.
enum Numbers {
    private static let last = Atomic<UInt32>(0)

    static func next() -> UInt32 {
        last.wrappingAdd(1, ordering: .relaxed).newValue
    }

    /// Returns the next number as a peripheral sends it.
    static func nextBytes() -> [UInt8] {
        let number = next()
        return (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
}

extension PeripheralIdentifier {
    /// A valid address that no device has.
    static let nobody = known("C0:00:00:00:00:99")

    // The address is a literal of this program.
    static func known(_ address: String) -> PeripheralIdentifier {
        guard
            let identifier = try? PeripheralIdentifier(
                address: address,
                isRandomAddress: true,
                name: nil
            )
        else { preconditionFailure("\(address) is not an address") }
        return identifier
    }
}

extension ReadResult {
    var text: String {
        switch self {
        case .success: "ok"
        case .failure(let error): "\(error)"
        }
    }
}

extension WriteResult {
    var text: String {
        switch self {
        case .success: "ok"
        case .failure(let error): "\(error)"
        }
    }
}

extension ConnectionResult {
    var text: String {
        switch self {
        case .success: "ok"
        case .failure(let error): "\(error)"
        }
    }
}

extension DisconnectionResult {
    var text: String {
        switch self {
        case .disconnected: "ok"
        case .failure(let error): "\(error)"
        }
    }
}
