internal import BluejayBlueZ
public import BluejayCore
public import Foundation

/// Why a call of the peripheral side failed.
///
/// A malformed UUID is ``BluejayError/malformedUUID(_:)`` and an overlong value
/// ``BluejayError/valueTooLong(length:limit:)``, as everywhere in the package.
public enum GATTServerError: Error, Hashable, Swift.Sendable {
    /// Bluetooth cannot be used; the state says why and what to do.
    case bluetoothUnavailable(BluetoothState)
    /// BlueZ provides this service or descriptor itself.
    case reservedUUID(BluetoothUUID)
    /// The properties of the characteristic or descriptor cannot be registered; with the reason.
    case invalidProperties(BluetoothUUID, String)
    /// The service, or one of its characteristics, is published already.
    case alreadyAdded(BluetoothUUID)
    /// The service, or the service of the characteristic, is not published.
    case notAdded(BluetoothUUID)
    /// The characteristic has neither `notify` nor `indicate`.
    case notSubscribable(BluetoothUUID)
    /// The advertisement does not fit its packet.
    case advertisementTooLong(length: Int, limit: Int)
    /// The name does not fit the scan response; both are lengths of its UTF-8 form.
    case nameTooLong(length: Int, limit: Int)
    /// A part of the advertisement is outside of what Bluetooth or BlueZ allows; with the reason.
    case invalidAdvertisement(String)
    /// An advertisement is on the air already.
    case alreadyAdvertising
    /// The adapter sends no more advertisements at the same time.
    case tooManyAdvertisements
    /// The call was taken back before it was done.
    case withdrawn
    /// BlueZ did not answer.
    case timedOut(String)
    /// BlueZ refused, with an error that has no case of its own.
    case refused(name: String, message: String)
}

extension GATTServerError {
    /// What a registration failed with, in the user's words.
    ///
    /// - Parameters:
    ///   - failure: What bluetoothd or the way to it said.
    ///   - state: What the user was told last of Bluetooth.
    init(_ failure: RegistrationFailure, _ state: BluetoothState) {
        switch failure {
        case .withdrawn: self = .withdrawn
        case .unavailable: self = .bluetoothUnavailable(state)
        case .timedOut(let call): self = .timedOut(call)
        case .accessDenied(let text): self = .bluetoothUnavailable(.unauthorized(text))
        case .tooManyAdvertisements: self = .tooManyAdvertisements
        case .tooLong: self = .invalidAdvertisement("BlueZ says that it is too long")
        case .notTaken:
            self = .invalidAdvertisement(
                "the adapter refused it; one that is discoverable itself needs 3 bytes more"
            )
        case .gone where state != .poweredOn: self = .bluetoothUnavailable(state)
        case .gone(let name, let message), .refused(let name, let message):
            self = .refused(name: name, message: message)
        }
    }
}

extension GATTServerError: CustomStringConvertible {
    /// What failed and what to do; never the value of an attribute.
    public var description: String {
        switch self {
        case .bluetoothUnavailable(let state):
            "Bluetooth is not available: \(state)"
        case .reservedUUID(let uuid):
            "\(uuid) is provided by BlueZ itself; leave it away"
        case .invalidProperties(let uuid, let reason):
            "the properties of \(uuid) cannot be used: \(reason)"
        case .alreadyAdded(let uuid):
            "\(uuid) is published already; remove its service first"
        case .notAdded(let uuid):
            "\(uuid) is not published; add its service first"
        case .notSubscribable(let uuid):
            "nobody can subscribe to \(uuid); give it the property notify or indicate"
        case .advertisementTooLong(let length, let limit):
            "the advertisement has \(length) bytes and \(limit) fit; advertise fewer services or "
                + "less data"
        case .nameTooLong(let length, let limit):
            "the name has \(length) bytes of UTF-8 and \(limit) fit; shorten it"
        case .invalidAdvertisement(let reason):
            "the advertisement cannot be sent: \(reason)"
        case .alreadyAdvertising:
            "an advertisement is on the air; call stopAdvertising() first"
        case .tooManyAdvertisements:
            "the adapter sends no more advertisements at the same time; end another program's"
        case .withdrawn:
            "the call was taken back before it was done"
        case .timedOut(let doing):
            "\(doing) got no answer from BlueZ in time"
        case .refused(let name, let message):
            message.isEmpty ? name : "\(name): \(message)"
        }
    }
}

extension GATTServerError: LocalizedError {
    /// The same text as `description`.
    public var errorDescription: String? { description }
}
