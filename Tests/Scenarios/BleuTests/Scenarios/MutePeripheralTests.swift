import Bleu
import BluejaySimulator
import Foundation
import Testing

@Suite("Peripherals that never reply to a discovery", .timeLimit(.minutes(15)))
struct MutePeripheralTests {
    private static let addresses = (1...12).map { String(format: "C0:00:00:00:01:%02X", $0) }

    @Test(
        "A system holds at most as many links as its limit, released links included",
        arguments: SimulatedKernel.allCases
    )
    func links(kernel: SimulatedKernel) async throws {
        try await BleuStage.play(adapters: 1, kernel: kernel) { stage in
            try stage.perform { world in
                for address in Self.addresses {
                    let device = SimulatedDevice(
                        address: address,
                        isRandom: false,
                        name: "Mute",
                        advertising: [ServiceMapper.serviceUUID(for: RoomSensor.self).uuidString]
                    )
                    device.answersDiscovery = false
                    world.add(device)
                }
            }
            var configuration = BleuConfiguration()
            configuration.maximumConnections = 7
            configuration.connectionTimeout = 3
            configuration.maximumRetries = 0
            let system = stage.system(0, configuration)
            let found = try await system.discover(RoomSensor.self)
            #expect(found.count == 12)
            // The calls of the second group begin when those of the first have failed.
            let calls = [found.prefix(7), found.suffix(5)].enumerated().flatMap { index, group in
                group.map { proxy in
                    stage.start {
                        try await stage.wait(.seconds(5 * index))
                        await #expect(throws: BleuError.self) { try await proxy.readTemperature() }
                        try await system.disconnect(from: proxy.id)
                    }
                }
            }
            var highest = 0
            for _ in 0..<300 {
                try await stage.wait(.milliseconds(200))
                let count = try stage.perform { world in
                    Self.addresses.count { world.device($0)?.isConnected == true }
                }
                highest = max(highest, count)
            }
            for call in calls { try await call.value }
            #expect(highest == 7)
        }
    }
}
