// The code of the articles, compiled.
import Bleu

#if Encryption
    import BleuEncryption
#endif

func serveFirstThermometer() async throws {
    let system = BLEActorSystem()
    try await system.startAdvertising(Thermometer(actorSystem: system))
}

func readAllThermometers() async throws {
    let system = BLEActorSystem()
    for thermometer in try await system.discover(Thermometer.self) {
        print(try await thermometer.readTemperature())
    }
}

#if Encryption
    func encryptedSystem() -> BLEActorSystem {
        var configuration = BleuConfiguration()
        configuration.encryption = .aesGCM
        configuration.sessionCipher = AESGCMSessions()
        let system = BLEActorSystem(configuration: configuration)
        return system
    }
#endif
