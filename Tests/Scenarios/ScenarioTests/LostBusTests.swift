import Bluejay
import BluejaySimulator
import Foundation
import Staging
import TestSupport
import Testing

@Suite(
    "The bus closes during a call",
    .enabled(if: !isRealBlueZ, "the bus is the simulator's"),
    .timeLimit(.minutes(15))
)
struct LostBusTests {
    @Test("32.11: the call in flight names the bus, not a Bluetooth that is on")
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
