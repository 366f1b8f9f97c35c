import Bleu
import Distributed

// The blocks in the comment of `BLEActorSystem`.
private enum CommentBlocks {
    distributed actor Hygrometer: PeripheralActor {
        typealias ActorSystem = BLEActorSystem
        distributed func readHumidity() async throws -> Double { 45.5 }
    }

    static func serve() async throws {
        let system = BLEActorSystem()
        try await system.startAdvertising(Hygrometer(actorSystem: system))
    }
}
