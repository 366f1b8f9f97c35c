import Bluejay
import BluejayAsync
import BluejaySimulator
import Testing

@Test func theLockOpens() async throws {
    var options = SimulatorOptions()
    options.timeScale = 0.01
    let system = try await SimulatedSystem.start(options)
    await system.perform { world in
        let address = "C4:7C:8D:6A:1F:02"
        let lock = SimulatedDevice(address: address, name: "Lock", advertising: ["FFE0"])
        lock.addService(
            "FFE0",
            [
                ScriptedCharacteristic("FFE1", ["read", "write"], .value([0])),
                ScriptedCharacteristic("FFE2", ["notify"], .sends([[1], [2]], everySeconds: 1)),
                ScriptedCharacteristic("FFE3", ["read"], .refuses(0x80)),
                ScriptedCharacteristic("FFE4", ["read"], .neverReplies),
            ]
        )
        world.add(lock)
    }

    let bluejay = Bluejay(mainLoop: MainLoop(threadName: "test"), busAddress: system.busAddress)
    await bluejay.start()
    let service = ServiceIdentifier(uuid: "FFE0")
    for try await found in bluejay.scan(serviceIdentifiers: [service]) {
        try await bluejay.connect(found.peripheralIdentifier, timeout: .seconds(10))
        break
    }
    let bolt = CharacteristicIdentifier(uuid: "FFE1", service: service)
    try await bluejay.write(to: bolt, value: UInt8(1))
    let writes = await system.read { $0.device("C4:7C:8D:6A:1F:02")?.writes.map(\.value) ?? [] }
    #expect(writes == [[1]])
}
