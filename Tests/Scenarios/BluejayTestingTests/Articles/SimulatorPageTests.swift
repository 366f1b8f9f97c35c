import BluejaySimulator
import Testing

/// `SimulatorPage.swift.in` compiles the other block of the page.
@Suite("The guide to the simulator", .timeLimit(.minutes(15)))
struct SimulatorPageTests {
    @Test("A central runs its script and reports the result")
    func central() async throws {
        let system = try await SimulatedSystem.start()
        let (lines, feed) = AsyncStream<String>.makeStream()
        @Sendable func print(_ values: [[UInt8]], _ failures: [CentralFailure]) {
            feed.yield("\(values) \(failures.map(\.error))")
        }
        let peripheral = HeartRatePeripheral(system.busAddress)
        try await peripheral.begin()
        await system.perform { world in
            let phone = SimulatedCentral(address: "C0:FF:EE:00:00:01")
            world.add(phone)
            let script: [CentralStep] = [
                .connect, .subscribe("2A37"), .write("2A39", [1]), .expect("2A37", count: 3),
                .disconnect,
            ]
            phone.play(script) { report in
                print(report.values, report.failures)
            }
        }
        var iterator = lines.makeAsyncIterator()
        #expect(await iterator.next() == "[[1], [2], [3]] []")
        withExtendedLifetime(peripheral) {}
        system.stop()
    }
}
