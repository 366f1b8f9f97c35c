import Bluejay
import BluejayAsync
import BluejaySimulator
import BluejayTesting
import TestTraits
import Testing

@Suite("Links that already exist", .timeLimit(.minutes(15)))
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
        "A link that another program is dropping is replaced before the connection is reported",
        .pitfall(.otherProgramDisconnects),
        .simulatedBlueZ { $0.add(.heartRateSensor()) }
    )
    func dying() async throws {
        #expect(try await (.seconds(2) ..< .seconds(3)).contains(time(when: .endsIt)))
    }

    @Test(
        "A dying link is replaced even if bluetoothd freezes for longer than the disconnect takes",
        .simulatedBlueZ { $0.add(.heartRateSensor()) },
        arguments: [3, 6, 9, 12, 20]
    )
    func dyingWhileFrozen(seconds: Int) async throws {
        let pause = Duration.seconds(seconds)
        #expect(try await time(when: .endsIt, frozenFor: pause) > pause)
    }

    @Test(
        "A stable link is adopted immediately",
        .simulatedBlueZ { $0.add(.heartRateSensor()) }
    )
    func lasting() async throws {
        #expect(try await time(when: .leavesIt) < .milliseconds(100))
    }

    @Test(
        "On BlueZ 5.55, which reports no such disconnect, adopting a link takes longer",
        .simulatedBlueZ(options(.v5_55)) { $0.add(.heartRateSensor()) }
    )
    func untold() async throws {
        #expect(try await (.seconds(2) ..< .seconds(3)).contains(time(when: .leavesIt)))
    }

    @Test(
        "On BlueZ 5.55, a link that another program is dropping is replaced, too",
        .simulatedBlueZ(options(.v5_55)) { $0.add(.heartRateSensor()) }
    )
    func untoldDying() async throws {
        #expect(try await (.seconds(2) ..< .seconds(3)).contains(time(when: .endsIt)))
    }
}
