import Bluejay
import BluejaySimulator
import Foundation
import Staging
import TestSupport
import Testing

@Suite(
    "A peripheral that does not answer the discovery of its services",
    .enabled(if: !isRealBlueZ, "a simulated peripheral keeps its answers back"),
    .timeLimit(.minutes(15))
)
struct UnansweredDiscoveryTests {
    private static let gadget = PeripheralScript.gadget([
        ScriptedCharacteristic("2A38", ["read"], .value([7]))
    ])

    private func answers(_ does: Bool, _ scene: Scene) async throws {
        try await scene.simulate { $0.device("C0:00:00:00:00:01")?.answersDiscovery = does }
    }

    @Test("32.21: a connect fails at its limit, and bluetoothd lives on")
    func limit() async throws {
        try await onStage(isRecorded: false) { scene in
            let found = try await scene.found(Self.gadget)
            let (central, gadget) = (found.central, found.identifier)
            try await answers(false, scene)
            await central.run { $0.noteConnect("connect", gadget, timeout: .seconds(5)) }
            await central.wait(for: "connect")
            let record = await central.record()
            #expect(record.contains("connect connectionTimedOut"), "\(record)")
            #expect(await central.state(\.isBluetoothAvailable))
            try await answers(true, scene)
            try await central.connect(gadget)
            #expect(try await central.value(of: location, as: UInt8.self) == 7)
        }
    }

    @Test("32.14b: a connect whose discovery fails does not succeed")
    func failed() async throws {
        try await onStage(isRecorded: false) { scene in
            let found = try await scene.found(Self.gadget)
            let (central, gadget) = (found.central, found.identifier)
            try await answers(false, scene)
            await central.run { $0.noteConnect("connect", gadget, timeout: .seconds(60)) }
            await central.wait(for: "connect")
            #expect(await !central.record().contains("connect ok"))
            #expect(await !central.state(\.isConnected))
            #expect(await central.state(\.isBluetoothAvailable))
        }
    }
}
