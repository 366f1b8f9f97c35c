import Bluejay
import BluejayAsync
import BluejaySimulator
import BluejayTesting
import Testing

@Suite("A link that is there already", .timeLimit(.minutes(15)))
struct DyingLinkTests {
    private typealias Heart = SimulatedDevice.HeartRateSensor

    enum Other: Swift.Sendable {
        case leavesIt, endsIt
    }

    private static func options(_ kind: SimulatedBlueZVersion) -> SimulatorOptions {
        var options = SimulatorOptions()
        options.version = kind
        return options
    }

    /// The duration of a connect to a sensor that another program is connected to.
    private func time(
        when other: Other,
        frozenFor pause: Duration = .zero
    ) async throws -> Duration {
        let world = try TestWorld.current
        let bluejay = try await startedBluejay()
        let sensor = try await find(Heart.service, by: bluejay)
        try world.perform { $0.apply(.otherProgramConnects(Heart.address)) }
        try await world.clock.sleep(for: .seconds(1))
        if other == .endsIt {
            try world.perform { $0.apply(.otherProgramDisconnects(Heart.address)) }
        }
        if pause > .zero { try world.perform { $0.apply(.daemonFrozen(for: pause)) } }
        let begun = world.clock.now
        try await bluejay.connect(sensor, timeout: .seconds(60))
        let time = begun.duration(to: world.clock.now)
        #expect(bluejay.services.contains { $0.identifier == ServiceIdentifier(uuid: "180D") })
        try await world.clock.sleep(for: .seconds(3))
        #expect(bluejay.isConnected)
        return time
    }

    @Test(
        "32.7: one that another program is ending is dialled anew before it is reported",
        .simulatedBlueZ { $0.add(.heartRateSensor()) }
    )
    func dying() async throws {
        #expect(try await (.seconds(2) ..< .seconds(3)).contains(time(when: .endsIt)))
    }

    @Test(
        "32.7: also when bluetoothd stands still for longer than its Disconnect takes",
        .simulatedBlueZ { $0.add(.heartRateSensor()) },
        arguments: [3, 6, 9, 12, 20]
    )
    func dyingWhileFrozen(seconds: Int) async throws {
        let pause = Duration.seconds(seconds)
        #expect(try await time(when: .endsIt, frozenFor: pause) > pause)
    }

    @Test(
        "32.7: one that lasts is taken over at once",
        .simulatedBlueZ { $0.add(.heartRateSensor()) }
    )
    func lasting() async throws {
        #expect(try await time(when: .leavesIt) < .milliseconds(100))
    }

    @Test(
        "32.7: BlueZ 5.55 does not tell, and the link has to outlast a Disconnect",
        .simulatedBlueZ(options(.v5_55)) { $0.add(.heartRateSensor()) }
    )
    func untold() async throws {
        #expect(try await (.seconds(2) ..< .seconds(3)).contains(time(when: .leavesIt)))
    }

    @Test(
        "32.7: on BlueZ 5.55 one that another program is ending is dialled anew, too",
        .simulatedBlueZ(options(.v5_55)) { $0.add(.heartRateSensor()) }
    )
    func untoldDying() async throws {
        #expect(try await (.seconds(2) ..< .seconds(3)).contains(time(when: .endsIt)))
    }
}
