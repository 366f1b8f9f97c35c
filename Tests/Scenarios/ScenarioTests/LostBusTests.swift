import Bluejay
import BluejaySimulator
import Foundation
import Staging
import TestSupport
import TestTraits
import Testing

/// Tests `BusSession`.
@Suite(
    "A bus that closes during a call",
    .enabled(if: !isRealBlueZ, "requires the simulated bus"),
    .timeLimit(.minutes(15))
)
struct LostBusTests {
    @Test(
        "If the bus closes, the pending read fails with busUnavailable",
        .fault(.busLost, during: .read),
        .pitfall(.busLoss)
    )
    func read() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = try await context.connected(
                to: .gadget([ScriptedCharacteristic("2A38", ["read"], .value([7]))])
            ).central
            let testbed = try #require(context.testbed as? SimulatedTestbed)
            try await context.simulate { $0.apply(.callsHeld("ReadValue")) }
            let value = Task { try await central.value(of: location, as: UInt8.self) }
            for _ in 0..<3 { await central.run { _ in } }
            testbed.system.killBus()
            let error = await #expect(throws: BluejayError.self) { try await value.value }
            guard case .busUnavailable = error?.bluetoothState else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }
}
