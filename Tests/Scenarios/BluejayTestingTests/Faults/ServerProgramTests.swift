import BluejayGATTServer
import BluejayTesting
import Foundation
import Testing

@Suite(
    "Programs that serve survive every fault at every message",
    .timeLimit(.minutes(15)),
    .simulatedBlueZ
)
struct ServerProgramTests {
    private static func advertise(_ server: GATTServer) async throws {
        let world = try TestWorld.current
        for _ in 0..<600 where !server.isAdvertising {
            try await world.clock.sleep(for: .milliseconds(100))
        }
    }

    @Test("A lamp that a phone reads, writes and observes", .everyFault)
    func lamp() async throws {
        let world = try TestWorld.current
        let server = GATTServer(mainLoop: world.mainLoop)
        async let _: Void = serveLamp(with: server)
        try await Self.advertise(server)
        let phone = try world.addCentral()
        try await phone.connect()
        try await phone.subscribe(to: "FFE1")
        try await phone.write([80], to: "FFE1")
        #expect(try await phone.next(of: "FFE1") == [[80]])
        #expect(try await phone.read("FFE1") == [80])
        phone.leaveRange()
    }

    @Test("A lamp with callbacks", .everyFault)
    func lampWithCallbacks() async throws {
        let world = try TestWorld.current
        let lamp = Lamp(GATTServer(mainLoop: world.mainLoop))
        let ready: Result<Void, any Error> = await withCheckedContinuation { continuation in
            lamp.begin { continuation.resume(returning: $0) }
        }
        try ready.get()
        let phone = try world.addCentral()
        try await phone.connect()
        try await phone.write([80], to: "FFE1")
        #expect(try await phone.read("FFE1") == [80])
        phone.leaveRange()
    }

    @Test("A server that adds and removes a service", .everyFault)
    func removedService() async throws {
        let server = GATTServer(mainLoop: try TestWorld.current.mainLoop)
        server.start()
        let level = LocalCharacteristic(uuid: "FFE1", properties: [.read])
        let service = LocalService(uuid: "FFE0", characteristics: [level])
        try level.setValue(Data([1]))
        try await server.add(service)
        try await server.remove(service)
        await server.stop()
    }

    @Test("A service whose adapter is unplugged during its registration moves to another adapter")
    func unplugged() async throws {
        let world = try TestWorld.current
        let fault = FaultEvent(on: .call("RegisterApplication"), .world(.adapterUnplugged(0)))
        try world.perform { $0.play(FaultSchedule([fault])) }
        let server = GATTServer(mainLoop: world.mainLoop)
        server.start()
        try await server.add(LocalService(uuid: "FFE0", characteristics: []))
        await server.stop()
    }
}
