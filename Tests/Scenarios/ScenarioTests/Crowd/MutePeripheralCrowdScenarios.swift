import Bluejay
import BluejayGLib
import Foundation
import Staging
import TestSupport
import Testing

/// The kernel decides what happens: `./Tests/RealBlueZ/run --kernel 6.1.0-56-amd64` boots the affected one.
@Suite(
    "A peripheral that never answers the discovery, with a real kernel",
    .timeLimit(.minutes(15)),
    .enabled(if: isRealBlueZ, "the simulated BlueZ does not use the kernel")
)
struct MutePeripheralCrowdScenarios {
    /// Linux 6.1.192 ends bluetoothd if it disconnects during the discovery.
    private static let isAffected = RunningKernel.build.contains(" 6.1.192-")

    @Test(
        "A connect that times out drops the link as soon as the kernel permits, and bluetoothd survives"
    )
    func limit() async throws {
        try await withTestbed(on: .multiplePeers) { context in
            let (central, peripheral, identifier) = try await Self.found(in: context)
            for _ in 0..<3 {
                try await peripheral.stopResponding()
                let error = await #expect(throws: BluejayError.self) {
                    try await central.connect(identifier, timeout: .seconds(5))
                }
                #expect(error == .connectionTimedOut)
                let start = ContinuousClock.now
                try await wait { try await !peripheral.isConnected() }
                let time = ContinuousClock.now - start
                print("timing: link ended \(time) after the failed connect")
                #expect(Self.isAffected ? time > .seconds(20) : time < .seconds(10))
                // The peripheral answers again.
                try await peripheral.returnToRange()
                try await central.connect(identifier, timeout: .seconds(30))
                let value: UInt8 = try await central.value(of: location)
                #expect(value == 1)
                try await central.disconnect()
            }
            #expect(await central.record(of: "available").isEmpty)
        }
    }

    private static func found(in context: ScenarioContext) async throws
        -> (RecordingCentral, any TestbedPeripheral, PeripheralIdentifier)
    {
        let found = try #require(try await context.foundPeripherals(1).first)
        await found.central.forget()
        return (found.central, found.peripheral, found.identifier)
    }
}
