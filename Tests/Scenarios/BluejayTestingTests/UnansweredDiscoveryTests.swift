import Bluejay
import BluejayAsync
import BluejaySimulator
import BluejayTesting
import Foundation
import TestTraits
import Testing

@Suite(
    "A peripheral that does not answer service discovery",
    .timeLimit(.minutes(15))
)
struct UnansweredDiscoveryTests {
    private static let address = SimulatedDevice.HeartRateSensor.address
    private static let text = "the peripheral did not answer the discovery of its services"

    private static let crashing: SimulatorOptions = {
        var options = SimulatorOptions()
        options.kernel = .v6_1_192
        return options
    }()

    private static func addSilent(_ world: SimulatedBlueZ) {
        let device = SimulatedDevice.heartRateSensor()
        device.answersDiscovery = false
        world.add(device)
    }

    private func found(by bluejay: Bluejay) async throws -> PeripheralIdentifier {
        try await find(SimulatedDevice.HeartRateSensor.service, by: bluejay)
    }

    private func failure(
        of bluejay: Bluejay,
        _ peripheral: PeripheralIdentifier,
        within limit: Double
    ) async throws -> (error: BluejayError?, time: Duration) {
        let clock = try TestWorld.current.clock
        let begun = clock.now
        let error = await #expect(throws: BluejayError.self) {
            try await bluejay.connect(peripheral, timeout: .seconds(limit))
        }
        return (error, begun.duration(to: clock.now))
    }

    private func isLinked() throws -> Bool {
        try TestWorld.current.perform { $0.device(Self.address)?.isConnected ?? false }
    }

    @Test(
        "A connect times out, and bluetoothd survives",
        .fault(.silent, during: .discovery),
        .simulatedBlueZ(crashing) { addSilent($0) }
    )
    func limit() async throws {
        let bluejay = try await startedBluejay()
        let sensor = try await found(by: bluejay)
        let (error, time) = try await failure(of: bluejay, sensor, within: 5)
        #expect(error == .connectionTimedOut)
        #expect((.seconds(5) ..< .seconds(6)).contains(time))
        // `Disconnect` is held back because it would end the daemon with this kernel.
        #expect(try isLinked())
        #expect(bluejay.bluetoothState == .poweredOn)
        try TestWorld.current.perform { $0.device(Self.address)?.answersDiscovery = true }
        try await bluejay.connect(sensor, timeout: .seconds(10))
        #expect(bluejay.bluetoothState == .poweredOn)
        #expect(bluejay.services.contains { $0.identifier == ServiceIdentifier(uuid: "180D") })
    }

    @Test(
        "The link of a connect that timed out ends, and bluetoothd survives",
        .simulatedBlueZ(crashing) { addSilent($0) }
    )
    func held() async throws {
        let bluejay = try await startedBluejay()
        let sensor = try await found(by: bluejay)
        _ = try await failure(of: bluejay, sensor, within: 5)
        try await TestWorld.current.clock.sleep(for: .seconds(40))
        #expect(try !isLinked())
        #expect(bluejay.bluetoothState == .poweredOn)
    }

    @Test(
        "On a kernel without the bug, the link ends early and the next connect succeeds",
        .simulatedBlueZ { addSilent($0) }
    )
    func ended() async throws {
        let bluejay = try await startedBluejay()
        let sensor = try await found(by: bluejay)
        let (error, time) = try await failure(of: bluejay, sensor, within: 5)
        #expect(error == .connectionTimedOut)
        #expect((.seconds(5) ..< .seconds(6)).contains(time))
        try await TestWorld.current.clock.sleep(for: .milliseconds(2500))
        #expect(try !isLinked())
        try TestWorld.current.perform { $0.device(Self.address)?.answersDiscovery = true }
        let clock = try TestWorld.current.clock
        let begun = clock.now
        try await bluejay.connect(sensor, timeout: .seconds(10))
        #expect(begun.duration(to: clock.now) < .seconds(3))
        #expect(bluejay.bluetoothState == .poweredOn)
    }

    @Test(
        "A connect whose service discovery fails reports the failure",
        .simulatedBlueZ { addSilent($0) }
    )
    func failed() async throws {
        let bluejay = try await startedBluejay()
        let sensor = try await found(by: bluejay)
        let (error, time) = try await failure(of: bluejay, sensor, within: 60)
        #expect(error?.description.contains(Self.text) == true, "\(error as Any)")
        #expect((.seconds(30) ..< .seconds(33)).contains(time))
        #expect(!bluejay.isConnected)
        #expect(bluejay.bluetoothState == .poweredOn)
    }

    @Test(
        "A connect that adopts a link during a failing service discovery reports the failure",
        .simulatedBlueZ { addSilent($0) }
    )
    func adopted() async throws {
        let bluejay = try await startedBluejay()
        let sensor = try await found(by: bluejay)
        try TestWorld.current.perform { $0.apply(.otherProgramConnects(Self.address)) }
        try await TestWorld.current.clock.sleep(for: .seconds(15))
        #expect(try isLinked())
        let (error, time) = try await failure(of: bluejay, sensor, within: 60)
        #expect(error?.description.contains(Self.text) == true, "\(error as Any)")
        #expect((.seconds(14) ..< .seconds(18)).contains(time))
        #expect(bluejay.bluetoothState == .poweredOn)
    }
}
