public import FoundationEssentials

/// The reason why an actor cannot be served, or an advertisement not be sent.
public enum BleuRegistrationError: Error, Hashable, Swift.Sendable {
    /// The type has no distributed methods, or they cannot be read; see
    /// ``BLEActorSystem/register(_:methods:)``.
    case noMethods(type: String)
    /// The type has several distributed methods of one name, which would share a characteristic.
    case overloadedMethods(type: String, methods: [String])
    /// Methods have a stream as a parameter, or within their result: an optional stream, or a stream of streams.
    case misplacedStreams(type: String, methods: [String])
    /// The type is generic, or a method is.
    case genericType(String)
    /// Two types of different modules or scopes have one name, and so one service.
    case sameName(String, String)
    /// Another actor of the type is served already.
    case alreadyServed(type: String)
    /// The advertisement does not fit.
    case advertisementTooLong(length: Int, limit: Int)
    /// No actor is advertised.
    case notAdvertising
    /// The configuration requires encryption by ``BleuConfiguration/sessionCipher``, which is `nil`.
    case missingCipher
    /// bluetoothd rejected the service or the advertisement.
    case refused(String)
}

extension BleuRegistrationError: CustomStringConvertible, LocalizedError {
    /// The reason and the remedy.
    public var description: String {
        switch self {
        case .noMethods(let type):
            "\(type) has no distributed method that can be read; name them with register(_:methods:)"
        case .overloadedMethods(let type, let methods):
            "\(type) has several distributed methods named \(methods.joined(separator: ", ")); rename them"
        case .misplacedStreams(let type, let methods):
            "\(type) has streams that cannot be sent in \(methods.joined(separator: ", ")); "
                + "a stream must be the whole result of a method, and no parameter"
        case .genericType(let name): "\(name) is generic; a service needs one type"
        case .sameName(let one, let other):
            "\(one) and \(other) have the same name and would share a service; rename one"
        case .alreadyServed(let type):
            "another \(type) is served already; stop it, or serve it on another adapter"
        case .advertisementTooLong(let length, let limit):
            "the advertisement has \(length) bytes, the limit is \(limit); omit data or services"
        case .notAdvertising: "no actor is advertised; call startAdvertising first"
        case .missingCipher:
            "encryption is aesGCM and sessionCipher is nil; set it to the cipher of BleuEncryption"
        case .refused(let reason): "bluetoothd refused: \(reason)"
        }
    }

    /// The reason and the remedy.
    public var errorDescription: String? { description }
}
