import Bell
import BluejayGATTServer
import BluejayTesting
import Testing

@Suite(.simulatedBlueZ)
struct BellTests {
    private func makeBell() async throws -> Bell {
        let world = try TestWorld.current
        let bell = Bell(GATTServer(mainLoop: world.mainLoop))
        try await world.expect("the bell") { ready in
            bell.begin { error in
                #expect(error == nil)
                ready()
            }
        }
        return bell
    }

    @Test func itRings() async throws {
        let bell = try await makeBell()
        let phone = try TestWorld.current.addCentral()
        try await phone.connect()
        #expect(try await phone.read("FFE1") == [5])
        try await phone.subscribe(to: "FFE2")
        try await phone.write([7], to: "FFE1")
        #expect(try bell.press())
        #expect(try await phone.next(of: "FFE2") == [[7]])
        await #expect(throws: CentralError.refused(0x80)) {
            try await phone.write([11], to: "FFE1")
        }
    }

    @Test func itRingsForTwoUntilTheyLeave() async throws {
        let world = try TestWorld.current
        let bell = try await makeBell()
        let script: [CentralStep] = [
            .connect, .subscribe("FFE2"), .expect("FFE2", within: .seconds(600)), .disconnect,
        ]
        async let first = world.addCentral().play(script)
        async let second = world.addCentral(mtu: 23).play(script)
        try await world.clock.sleep(for: .seconds(300))
        #expect(try bell.press())
        let values = try await [first.values, second.values]
        #expect(values == [[[5]], [[5]]])
        try await world.clock.sleep(for: .seconds(1))
        #expect(try !bell.press())
    }
}
