public import BluejayCore
public import FoundationEssentials

/// An error of a connection, a value or a pairing.
public enum BLEError: Error, Hashable, Swift.Sendable {
    /// The link was not established in time, or the services were not found in time.
    case connectionTimeout
    /// The radio did not acknowledge a value in time; the link stays up.
    case operationTimeout
    /// The radio lacks the Nordic UART service, or one of its two characteristics.
    case characteristicNotFound
    /// The radio requires a pairing that does not exist; with the known reason.
    case pairingFailed(String)

    /// Bluetooth is unusable and does not recover by itself.
    case bluetoothUnavailable(BluetoothState)
    /// The user has no permission to use Bluetooth.
    case bluetoothUnauthorized
    /// The adapter is switched off.
    case bluetoothPoweredOff
    /// Neither bluetoothd nor a scan finds the radio.
    case deviceNotFound
    /// The connection failed, for this reason.
    case connectionFailed(String)
    /// The radio is not connected, or the connection was lost during the call.
    case notConnected
    /// A value was rejected, for this reason; the link stays up.
    case writeError(String)
    /// The pairing was rejected on this side, or received no reply.
    case pairingCancelled

    /// Returns the pairing error for an ATT error code.
    ///
    /// Pass code 14 only for a radio that is or was paired and whose link is still up: bluetoothd reports it
    /// for lost links, too.
    ///
    /// - Parameters:
    ///   - attributeCode: A code of the Core Specification, Vol 3, Part F, 3.4.1.1.
    ///   - reason: The known reason.
    /// - Returns: ``pairingFailed(_:)`` for the codes 5, 8, 14 and 15; `nil` for any other.
    public static func pairingFailure(attributeCode: UInt8, reason: String) -> BLEError? {
        switch attributeCode {
        case 5, 8, 14, 15: .pairingFailed(reason)
        default: nil
        }
    }

    /// Creates the error for a state in which Bluetooth is unusable.
    init(_ state: BluetoothState) {
        self =
            switch state {
            case .poweredOff: .bluetoothPoweredOff
            case .unauthorized: .bluetoothUnauthorized
            default: .bluetoothUnavailable(state)
            }
    }
}

extension BLEError: LocalizedError, CustomStringConvertible {
    /// The problem and its remedy.
    public var description: String {
        switch self {
        case .connectionTimeout:
            "the radio did not respond in time; check that it is on, in range and not connected elsewhere"
        case .operationTimeout: "the write timed out; send the value again"
        case .characteristicNotFound:
            "the radio has no Nordic UART service (6E400001 with 6E400002 and 6E400003)"
        case .pairingFailed(let reason):
            "pairing failed (\(reason)); check the passkey, or remove the old keys with "
                + "`bluetoothctl remove ADDRESS` and on the radio"
        case .bluetoothUnavailable(let state): "\(state)"
        case .bluetoothUnauthorized: "\(BluetoothState.unauthorized("the bus refuses"))"
        case .bluetoothPoweredOff: "\(BluetoothState.poweredOff)"
        case .deviceNotFound: "radio not found; check its identifier and that it is on"
        case .connectionFailed(let reason): "connection failed: \(reason)"
        case .notConnected: "not connected to a radio"
        case .writeError(let reason): "write failed: \(reason)"
        case .pairingCancelled: "pairing was cancelled, or no passkey was entered in time"
        }
    }

    /// The same text as ``description``.
    public var errorDescription: String? { description }
}
