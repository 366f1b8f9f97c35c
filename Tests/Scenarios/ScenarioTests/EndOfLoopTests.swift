import Bluejay
import BluejayDBus
import BluejaySimulator
import Staging
import TestSupport
import Testing

/// An instance that ends with its loop must leave no resources.
@Suite(
    "Stopped loops",
    .timeLimit(.minutes(15)),
    .enabled(if: !isRealBlueZ, "other programs use the bus of the test machine")
)
struct EndOfLoopTests {
    @Test(
        "Stopping the loop of a connected instance closes its bus connection and its link",
        arguments: [true, false]
    )
    func connection(isConnected: Bool) async throws {
        try await withTestbed(variant: "\(isConnected)", isRecorded: false) { context in
            let peripheral = try await context.testbed.add(.heartRateSensor())
            let bus = try await TestbedBus(context.testbed.busAddress)
            let before = try await bus.names()
            try await live(on: context, connecting: isConnected)
            try await wait { try await bus.names() == before }
            try await wait { try await !peripheral.isConnected() }
        }
    }

    // Returning releases the instance and its loop.
    private func live(on context: ScenarioContext, connecting: Bool) async throws {
        let central = await RecordingCentral(context.testbed.busAddress, adapter: "hci0")
        let sensor = try await central.find()
        if connecting {
            try await central.connect(sensor)
            await central.listen(measurement)
            await central.settle()
        }
    }
}

/// A bluetoothd that hangs when a program starts.
@Suite("An unresponsive bluetoothd", .timeLimit(.minutes(15)), .enabled(if: !isRealBlueZ))
struct StandstillTests {
    @Test("Bluetooth becomes available when a frozen bluetoothd resumes")
    func start() async throws {
        try await withTestbed(isRecorded: false) { context in
            try await context.simulate { $0.apply(.daemonFrozen(for: .seconds(300))) }
            let central = await context.central(adapter: "hci0")
            await central.wait(forState: .poweredOn)
            #expect(await central.read { $0.bluejay.isBluetoothAvailable })
        }
    }
}

extension TestbedBus {
    fileprivate func names() async throws -> Set<String> {
        let bus = "org.freedesktop.DBus"
        let reply = try await call("/org/freedesktop/DBus", bus, "ListNames", of: bus)
        return Set(reply.first?.texts ?? [])
    }
}
