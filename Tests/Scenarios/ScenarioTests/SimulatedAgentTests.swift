import Bluejay
import BluejaySimulator
import Foundation
import Staging
import TestSupport
import TestTraits
import Testing

/// Requires the simulated BlueZ: emulated controllers lack these peers and requests.
///
/// Tests `PairingAgent`.
@Suite("Pairing with all kinds of peers", .enabled(if: !isRealBlueZ), .timeLimit(.minutes(15)))
struct SimulatedAgentTests {
    private func connected(_ context: ScenarioContext, _ pairing: SimulatedPairing) async throws
        -> DiscoveredPeripheral
    {
        var script = PeripheralScript.gadget([
            ScriptedCharacteristic("2A38", ["encrypt-read"], .value([7]))
        ])
        script.pairing = pairing
        return try await context.connected(to: script)
    }

    @Test("The passkey to enter on the peer is shown with each digit entered, and then ends")
    func displayed() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = try await connected(context, .displayed(isTypedRight: true)).central
            await central.keepPairingQuestions()
            try await central.pair()
            await central.wait(for: "over: display of a passkey")
            let record = await central.record()
            let shown = (0...6).map { "asked: display of a passkey, \($0) entered" }
            #expect(record.filter { $0.hasPrefix("asked") } == shown)
            #expect(record.filter { $0.hasPrefix("over") }.count == 1)
        }
    }

    @Test("A passkey entered incorrectly on the peer fails the pairing")
    func typedWrongly() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = try await connected(context, .displayed(isTypedRight: false)).central
            await central.answerPairing { _, _ in }
            await #expect { try await central.pair() } throws: { isPairingFailure($0) }
        }
    }

    @Test("Rejecting the display of a passkey ends the pairing")
    func refusedDisplay() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = try await connected(context, .displayed(isTypedRight: nil)).central
            await central.answerPairing { $1.reject() }
            await #expect(throws: BluejayError.pairingRejected) { try await central.pair() }
        }
    }

    @Test("Legacy devices request a PIN code or have one entered")
    func pinCodes() async throws {
        try await withTestbed(isRecorded: false) { context in
            let found = try await connected(context, .pinCode("0000"))
            let central = found.central
            await central.answerPairing { $1.accept(pinCode: "0000") }
            try await central.pair()
            await central.wait(for: "asked: PIN code")
            try await central.disconnect()
            try await central.forgetGadget(found.identifier)
            try await context.simulate {
                $0.device("C0:00:00:00:00:01")?.pairing = .displayedPinCode("31415")
            }
            let identifier = try await central.find()
            try await central.connect(identifier)
            await central.answerPairing { request, answer in
                if request.digits != "31415" { answer.reject() }
            }
            try await central.pair()
            await central.wait(for: "asked: display of a PIN code")
        }
    }

    @Test("An answer of the wrong kind rejects the request, and only the first answer counts")
    func answers() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = try await connected(context, .passkey(5)).central
            await central.answerPairing { $1.accept() }
            await #expect(throws: BluejayError.pairingRejected) { try await central.pair() }
            await central.answerPairing { $1.accept(passkey: 1_000_000) }
            await #expect(throws: BluejayError.pairingRejected) { try await central.pair() }
            await central.answerPairing { _, answer in
                Thread.detachNewThread {
                    answer.accept(passkey: 5)
                    answer.reject()
                }
            }
            try await central.pair()
        }
    }

    @Test(
        "A peer that never responds loses its link and fails the pairing",
        .fault(.silent, during: .pairing)
    )
    func silent() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = try await connected(context, .silent).central
            await central.answerPairing { $1.accept() }
            await #expect(throws: BluejayError.notConnected) { try await central.pair() }
            await central.wait(for: "disconnected Gadget")
        }
    }

    @Test("A peer that rejects pairing fails the call and drops the connection")
    func refusedThere() async throws {
        try await withTestbed(isRecorded: false) { context in
            let found = try await connected(context, .refused)
            await found.central.answerPairing { $1.accept() }
            await #expect { try await found.central.pair() } throws: { isPairingFailure($0) }
            await found.central.wait(for: "disconnected Gadget")
        }
    }

    @Test(
        "The handler also authorizes access to services of this computer",
        .pitfall(.trustedDevices)
    )
    func service() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = try await connected(context, .justWorks).central
            await central.answerPairing { request, answer in
                if case .service(let service) = request, service.uuid.uuidString == "110B" {
                    answer.accept()
                }
            }
            try await context.waitForAgents(1)
            try await context.simulate { world in
                world.authorizeService("110B", for: "C0:00:00:00:00:01") { isAllowed in
                    world.authorizeService("110A", for: "C0:00:00:00:00:01") { isSecond in
                        let device = world.device("C0:00:00:00:00:01")
                        device?.setAppearance(isAllowed && !isSecond ? 1 : 2)
                    }
                }
            }
            await central.wait(for: "asked: authorization of 110A")
        }
    }

    @Test(
        "Another program's agent answers without a handler, and Bluejay's agent with one",
        .pitfall(.noAgent)
    )
    func otherAgent() async throws {
        try await withTestbed(isRecorded: false) { context in
            let found = try await connected(context, .confirmation(1, isAgreed: true))
            try await context.agreeToPairing()
            // The agent has no display, so nothing is compared.
            try await found.central.pair()
            try await found.central.disconnect()
            try await found.central.forgetGadget(found.identifier)
            await found.central.answerPairing { $1.accept() }
            try await found.central.connect(found.central.find())
            try await found.central.pair()
            await found.central.wait(for: "asked: confirmation")
        }
    }

    @Test("The agent is registered only while a handler is set")
    func pairable() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = await context.availableCentral()
            await central.answerPairing { $1.accept() }
            try await context.waitForAgents(1)
            await central.run { $0.bluejay.setPairingHandler(nil) }
            try await context.waitForAgents(0)
            await central.answerPairing { $1.accept() }
            try await context.waitForAgents(1)
            await central.run { _ = $0.bluejay.stopAndExtractBluetoothState() }
            try await context.waitForAgents(0)
        }
    }

    @Test("Requests for a device without a connected instance are rejected")
    func nobody() async throws {
        try await withTestbed(isRecorded: false) { context in
            let found = try await connected(context, .confirmation(1, isAgreed: true))
            let other = await context.central(adapter: "hci0", sharing: found.central)
            await other.answerPairing { $1.accept() }
            // An instance receives requests for its own peripherals only; the agent belongs to the
            // connection.
            await #expect(throws: BluejayError.pairingRejected) { try await found.central.pair() }
            #expect(await other.record().allSatisfy { !$0.hasPrefix("asked") })
        }
    }

    @Test("pair and cancelPairing fail with notConnected without a connection")
    func notConnected() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = await context.availableCentral()
            await #expect(throws: BluejayError.notConnected) { try await central.pair() }
            await #expect(throws: BluejayError.notConnected) { try await central.cancelPairing() }
        }
    }

    @Test("A completion can pair again, and the handler can remove itself")
    func again() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = try await connected(context, .passkey(5)).central
            await central.answerPairing { [weak central] request, answer in
                central?.bluejay.setPairingHandler(nil)
                answer.accept(passkey: 5)
            }
            await central.run { central in
                central.bluejay.pair { [weak central] first in
                    central?.recordEvent("first \(first)")
                    central?.bluejay.pair { central?.recordEvent("second \($0)") }
                }
            }
            await central.wait(for: "second")
        }
    }
}

extension RecordingCentral {
    fileprivate func forgetGadget(_ identifier: PeripheralIdentifier) async throws {
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Void, any Error>) in
            loop.post { [self] in
                bluejay.forget(identifier) { continuation.resume(with: $0) }
            }
        }
    }
}

extension ScenarioContext {
    /// Waits until bluetoothd has `count` agents.
    fileprivate func waitForAgents(_ count: Int) async throws {
        let system = (testbed as? SimulatedTestbed)?.system
        try await wait { await system?.read { $0.agentCount } == count }
    }
}
