import BluejayGLib
import BluejaySimulator
import BluejayTesting
import Foundation
import TestSupport

/// The devices, the programs and the faults of a run.
final class Soak: Swift.Sendable {
    private static let deviceCount = 100
    private static let programCount = 10
    private static let faultInterval = Duration.seconds(30)
    /// The pause of the faults before each check: longer than any delay before a reconnection.
    private static let calm = Duration.seconds(300)

    private let world: TestWorld
    private let programs: [ListeningProgram]
    private let seed: UInt64
    private let addresses: [String]

    init(_ world: TestWorld, seed: UInt64) throws {
        self.world = world
        self.seed = seed
        let addresses = (0..<Self.deviceCount).map { String(format: "C0:00:00:00:00:%02X", $0) }
        try world.perform { blueZ in
            for address in addresses { blueZ.add(Self.sensor(address)) }
        }
        programs = addresses.prefix(Self.programCount).map { ListeningProgram($0, in: world) }
        self.addresses = Array(addresses.prefix(Self.programCount))
    }

    /// A sensor that sends a value every 30 s.
    private static func sensor(_ address: String) -> SimulatedDevice {
        let device = SimulatedDevice(
            address: address,
            name: "Sensor \(address.suffix(2))",
            advertising: ["180D"]
        )
        let values = (0..<100).map { [UInt8(0), UInt8($0)] }
        let rate = ScriptedCharacteristic("2A37", ["notify"], .sends(values, everySeconds: 30))
        device.addService("180D", [rate])
        return device
    }

    /// Runs the programs with faults, and checks several times.
    ///
    /// - Parameters:
    ///   - time: The time of the faults, in the time of the world.
    ///   - report: Receives a line for each check and for each violation.
    /// - Returns: Whether no check has found a violation.
    /// - Throws: The error of a world that has ended.
    func run(
        for time: Duration,
        reportingTo report: @Sendable (String) -> Void
    ) async throws -> Bool {
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            for program in programs {
                group.addTask(executorPreference: ContextExecutor(world.mainLoop.context)) {
                    try await program.run()
                }
            }
            var faults = RandomFaults(seed, of: addresses)
            let checkCount = max(1, min(6, Int(time / .seconds(3600))))
            var isSound = true
            var before: Inventory?
            for number in 0...checkCount {
                try await cause(&faults, for: time / (checkCount + 1))
                let late = try await silentPrograms()
                for name in late { report("FAULT: \(name) has received no value for five minutes") }
                try world.perform { [addresses] blueZ in
                    for address in addresses { blueZ.device(address)?.forgetTraffic() }
                }
                let inventory = try await Inventory(of: world)
                report("\(number) of \(checkCount): \(inventory), \(valueCount) values")
                // The first part lets the runtime and the containers reach their final size.
                let more = before.map { inventory.more(than: $0) } ?? []
                for line in more { report("FAULT: \(line)") }
                before = before ?? inventory
                isSound = isSound && late.isEmpty && more.isEmpty
            }
            return isSound
        }
    }

    private var valueCount: Int { programs.reduce(0) { $0 + $1.valueCount } }

    private func cause(_ faults: inout RandomFaults, for time: Duration) async throws {
        let end = world.clock.now.advanced(by: time)
        while world.clock.now < end {
            let event = faults.next()
            try world.perform { $0.play(FaultSchedule([event])) }
            try await world.clock.sleep(for: Self.faultInterval)
        }
        try world.perform { blueZ in
            blueZ.endFaults()
            // The connection of the other program, which a restart of the bus closes, is open at each check.
            blueZ.apply(.otherProgramScans(true))
            blueZ.apply(.otherProgramScans(false))
        }
    }

    /// Waits without faults; returns the programs that have then received no value for some time.
    private func silentPrograms() async throws -> [String] {
        try await world.clock.sleep(for: Self.calm)
        let counts = programs.map(\.valueCount)
        try await world.clock.sleep(for: Self.calm)
        return zip(programs, counts).filter { $0.valueCount == $1 }.map(\.0.name)
    }
}
