internal import BluejayCore
public import FoundationEssentials

/// The errors of a ``BLEActorSystem``.
public enum BleuError: Error {
    /// Bluetooth is off, or bluetoothd or an adapter is missing.
    case bluetoothUnavailable
    /// The policy of the bus does not allow this program to use bluetoothd.
    case bluetoothUnauthorized
    /// No peripheral with this identifier was found.
    case peripheralNotFound(UUID)
    /// The peripheral does not have this service.
    case serviceNotFound(UUID)
    /// The service does not have this characteristic: the peripheral does not know the method.
    case characteristicNotFound(UUID)
    /// The peripheral did not reply to a call in time; the method may have run.
    case connectionTimeout
    /// The link could not be established, or ended during a call that may have reached the peripheral.
    case connectionFailed(any Error)
    /// The peripheral uses another version of the frames.
    case incompatibleVersion(detected: Int, required: Int)
    /// A value, a message or its encryption is damaged, too long, or of an unexpected type.
    case invalidData
    /// The limit of connections or of waiting calls is reached.
    case quotaExceeded
}

extension BleuError: LocalizedError {
    /// The reason and the remedy.
    public var errorDescription: String? {
        switch self {
        case .bluetoothUnavailable:
            "Bluetooth is unavailable; check that bluetoothd runs and that an adapter is on"
        case .bluetoothUnauthorized:
            "the D-Bus policy denies this program the use of bluetoothd; run `bluejay doctor`, or check "
                + "bluetooth.conf in /etc/dbus-1/system.d and /usr/share/dbus-1/system.d"
        case .peripheralNotFound(let id):
            "peripheral \(id) not found; check that it is on, in range and advertising"
        case .serviceNotFound(let id):
            "service \(id) not found; check that both sides use the same actor type"
        case .characteristicNotFound(let id):
            "characteristic \(id) not found; check that both sides have the same methods"
        case .connectionTimeout: "the peripheral did not answer in time; the method may have run"
        case .connectionFailed(let cause): "connection failed: \(cause)"
        case .incompatibleVersion(let detected, let required):
            "the peripheral uses frames of version \(detected), this program of version \(required)"
        case .invalidData: "invalid data: a value is damaged, too long or of another type"
        case .quotaExceeded: "too many connections or waiting calls; disconnect one, or wait"
        }
    }
}
