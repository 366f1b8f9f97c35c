import BluejayCore
import BluejaySimulator
import BluejayTesting
import Foundation
import Testing

@testable import PocketMesh

@Suite("Radios survive every fault at every message", .timeLimit(.minutes(15)))
struct EveryFaultTests {
    @Test(
        "A radio that receives a packet and sends another",
        .simulatedBlueZ { $0.add(simulatedRadio()) },
        .everyFault
    )
    func packets() async throws {
        let world = try TestWorld.current
        let radio = BLEStateMachine(
            RadioSettings(),
            host: BluetoothHost(mainLoop: world.mainLoop, busAddress: world.busAddress)
        )
        do {
            let packets = try await radio.connect(to: RadioStage.device)
            try await radio.send(Data([1]))
            try world.perform { $0.device(RadioStage.address)?.send([2], on: rx) }
            try await world.clock.sleep(for: .seconds(1))
            await radio.shutdown()
            let received = await packets.reduce(into: []) { $0.append($1) }
            #expect(received == [Data([2])])
        } catch {
            await radio.shutdown()
            throw error
        }
    }
}
