import Bleu

/// An error that arrives at the caller with its fields.
struct TooHot: Error, Codable, Hashable {
    var limit: Double
}

/// Creates a system for either side: paired links with a passkey, and 3 s for a reply.
func securedSystem(on host: BluetoothHost) -> BLEActorSystem {
    var configuration = BleuConfiguration()
    configuration.encryption = .link
    configuration.passkeyProvider = { _ in 123_456 }
    configuration.callTimeout = 3
    configuration.errorTypes = [TooHot.self]
    return BLEActorSystem(configuration: configuration, host: host)
}
