import BluejayTesting
import Door
import Testing

struct DoorTests {
    @Test(
        .simulatedBlueZ { blueZ in
            blueZ.userAgreesToPairing = true
            blueZ.add(.lock())
        }
    )
    func itOpens() async throws {
        let world = try TestWorld.current
        let door = Door(world.makeBluejay())
        try await world.expect("an answer") { answered in
            door.open { error in
                #expect(error == nil)
                answered()
            }
        }
        let writes = try world.perform { blueZ in
            blueZ.device(SimulatedDevice.DoorLock.address)?.writes.map(\.value)
        }
        #expect(writes == [[1]])
    }

    @Test(.simulatedBlueZ)
    func nobodyIsThere() async throws {
        let world = try TestWorld.current
        let door = Door(world.makeBluejay())
        try await world.expect("an answer", within: .seconds(25)) { answered in
            door.open { error in
                #expect(error is Door.NotThere)
                answered()
            }
        }
        #expect(world.clock.now.offset >= .seconds(20))
    }
}
