public import BluejayCore
public import FoundationEssentials

/// What a connection, a value or a pairing fails with.
public enum BLEError: Error, Hashable, Swift.Sendable {
    /// There was no link in time, or what is behind it was not found in time.
    case connectionTimeout
    /// A value was not answered in time; the link stays.
    case operationTimeout
    /// The radio has no Nordic UART service, or one of its two characteristics is missing.
    case characteristicNotFound
    /// The radio wants to be paired and is not; with what is known of why.
    case pairingFailed(String)

    /// Bluetooth cannot be used, and does not become usable by itself.
    case bluetoothUnavailable(BluetoothState)
    /// This user may not use Bluetooth.
    case bluetoothUnauthorized
    /// The adapter is switched off.
    case bluetoothPoweredOff
    /// Neither bluetoothd nor a scan knows the radio.
    case deviceNotFound
    /// There is no connection; with the reason.
    case connectionFailed(String)
    /// There is no connection, or it has gone meanwhile.
    case notConnected
    /// A value was not taken; with the reason. The link stays.
    case writeError(String)
    /// Somebody here did not want the pairing, or nobody answered.
    case pairingCancelled

    /// What an ATT error code says of pairing.
    ///
    /// Code 14 is one of them only of a radio that is or was paired and whose link still stands: bluetoothd
    /// shows it for lost links, too.
    ///
    /// - Parameters:
    ///   - attributeCode: A code of the Core Specification, Vol 3, Part F, 3.4.1.1.
    ///   - reason: What is known of why.
    /// - Returns: ``pairingFailed(_:)`` for the codes 5, 8, 14 and 15; nil for any other.
    public static func pairingFailure(attributeCode: UInt8, reason: String) -> BLEError? {
        switch attributeCode {
        case 5, 8, 14, 15: .pairingFailed(reason)
        default: nil
        }
    }

    /// Why Bluetooth cannot be used.
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
    /// What is the matter, and what to do about it.
    public var description: String {
        switch self {
        case .connectionTimeout:
            "the radio did not answer in time; check that it is on, near, and connected to nobody else"
        case .operationTimeout: "the radio did not take the value in time; it can be sent again"
        case .characteristicNotFound:
            "the radio has no Nordic UART service (6E400001 with 6E400002 and 6E400003)"
        case .pairingFailed(let reason):
            "pairing failed (\(reason)); check the number, or remove the old keys with "
                + "`bluetoothctl remove ADDRESS` and on the radio"
        case .bluetoothUnavailable(let state): "\(state)"
        case .bluetoothUnauthorized: "\(BluetoothState.unauthorized("the bus refuses"))"
        case .bluetoothPoweredOff: "\(BluetoothState.poweredOff)"
        case .deviceNotFound: "the radio was not found; check its identifier, and that it is on"
        case .connectionFailed(let reason): "there is no connection: \(reason)"
        case .notConnected: "there is no connection to a radio"
        case .writeError(let reason): "the radio did not take the value: \(reason)"
        case .pairingCancelled: "pairing was cancelled, or nobody gave the number in time"
        }
    }

    /// As ``description``.
    public var errorDescription: String? { description }
}
