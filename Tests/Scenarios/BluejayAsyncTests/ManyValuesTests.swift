import Bluejay
import BluejayAsync
import BluejaySimulator
import Foundation
import TestSupport
import Testing

private let packets = CharacteristicIdentifier(uuid: "2A38", service: service)
private let commands = CharacteristicIdentifier(uuid: "2A39", service: service)
private let samples = CharacteristicIdentifier(uuid: "2A37", service: service)
private let address = "C0:00:00:00:00:09"

@Suite("Many values with await", .timeLimit(.minutes(15)))
struct ManyValuesTests {
    private func connected() async throws -> AsyncStage {
        let stage = try await AsyncStage()
        await stage.system.perform { world in
            let device = SimulatedDevice(address: address, name: "Part", advertising: ["180A"])
            device.addService(
                "180D",
                [
                    ScriptedCharacteristic("2A37", ["notify"], .value([])),
                    ScriptedCharacteristic("2A38", ["write-without-response"], .value([])),
                    ScriptedCharacteristic("2A39", ["write"], .value([])),
                ]
            )
            world.add(device)
        }
        let found = try await stage.bluejay.connect(
            toFirst: .anyService([ServiceIdentifier(uuid: "180A")])
        )
        #expect(found.name == "Part")
        return stage
    }

    @Test("The program of the page sends all values in order and sums the received ones")
    func page() async throws {
        let stage = try await connected()
        let firmware = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
        try await update(stage.bluejay, to: firmware, data: packets, control: commands)
        let writes = await stage.system.read { $0.device(address)?.writes.map(\.value) }
        let arrived = (writes ?? nil) ?? []
        #expect(arrived.last == [1])
        #expect(Data(arrived.dropLast().joined()) == firmware)
        async let sum = sum(stage.bluejay, of: samples, count: 3)
        try await wait {
            await stage.system.read { $0.device(address)?.listenerCount(of: "2A37") } == 1
        }
        await stage.system.perform { world in
            for value: UInt8 in 1...3 { world.device(address)?.send([value], on: "2A37") }
        }
        #expect(try await sum == 6)
    }

    @Test("Awaited writes are paced automatically, and 200 concurrent tasks take turns")
    func pace() async throws {
        let stage = try await connected()
        let bluejay = stage.bluejay
        for value in UInt8.min...UInt8.max {
            if value == 200 { await bluejay.setUsesWriteSockets(false) }
            try await bluejay.write(to: packets, value: value, type: .withoutResponse)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for value in UInt8(0)..<200 {
                group.addTask {
                    try await bluejay.readyToSendWriteWithoutResponse()
                    try await bluejay.write(to: packets, value: value, type: .withoutResponse)
                }
            }
            try await group.waitForAll()
        }
        withExtendedLifetime(stage) {}
    }

    @Test("readyToSendWriteWithoutResponse can be cancelled, and returns without a connection")
    func waiting() async throws {
        let stage = try await AsyncStage()
        let bluejay = stage.bluejay
        try await bluejay.readyToSendWriteWithoutResponse()
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            try await bluejay.readyToSendWriteWithoutResponse()
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        withExtendedLifetime(stage) {}
    }
}
