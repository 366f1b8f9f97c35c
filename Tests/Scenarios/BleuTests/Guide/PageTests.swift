import Bleu
import BluejayTesting
import Distributed
import Foundation
import Testing

@Suite("The program of the page of Bleu", .timeLimit(.minutes(15)))
struct PageTests {
    @Test("A thermometer is served on one adapter, and read and calibrated from another adapter")
    func thermometer() async throws {
        try await BleuStage.play { stage in
            let system = try await serveThermometer(on: stage.host(0))
            #expect(try await readThermometer(on: stage.host(1)) == [21.5, 22.5])
            try await system.stopAdvertising()
            // The first reader's link takes two seconds to close.
            try await stage.wait(.seconds(5))
            #expect(try await readThermometer(on: stage.host(1)) == [])
        }
    }

    @Test("The configuration of the page pairs, keeps the fields of an error, and waits for 3 s")
    func configuration() async throws {
        try await BleuStage.play(adapters: 3) { stage in
            let server = securedSystem(on: stage.host(0))
            let oven = Oven(actorSystem: server)
            try await server.startAdvertising(oven)
            let found = try await securedSystem(on: stage.host(1)).discover(Oven.self)
            let proxy = try #require(found.first)
            #expect(try await proxy.temperature() == 180)
            await #expect(throws: TooHot(limit: 250)) { try await proxy.heat(to: 300) }
            let start = stage.world.clock.now
            do {
                try await proxy.cool(to: 20)
                Issue.record("a method that never returns has completed")
            } catch BleuError.connectionTimeout {
                let waited = start.duration(to: stage.world.clock.now)
                #expect((.seconds(3) ..< .seconds(4)).contains(waited), "\(waited)")
            }
            await oven.whenLocal { $0.door.open() }
            // A system with the default configuration has no passkey.
            let other = try await stage.system(2).connect(to: adapterID(0), as: Oven.self)
            await #expect(throws: BleuError.self) { try await other.temperature() }
        }
    }
}

/// An actor that refuses, and that takes its time.
private distributed actor Oven: PeripheralActor {
    typealias ActorSystem = BLEActorSystem

    let door = Door()

    distributed func temperature() async throws -> Double { 180 }
    distributed func heat(to temperature: Double) async throws { throw TooHot(limit: 250) }
    distributed func cool(to temperature: Double) async throws { await door.wait() }
}
