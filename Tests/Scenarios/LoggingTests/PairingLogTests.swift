import Bluejay
import BluejayAsync
import BluejayGATTServer
import BluejaySimulator
import Foundation
import Logging
import TestSupport
import Testing

@Suite("Log of a pairing", .timeLimit(.minutes(15)))
struct PairingLogTests {
    private static let passkey: UInt32 = 371_942
    private static let code = "zebra-code"

    @Test(
        "Passkeys and PINs appear in no log line and in no description of a value",
        arguments: [
            SimulatedPairing.passkey(passkey), .confirmation(passkey, isAgreed: true),
            .displayed(isTypedRight: true), .pinCode(code), .displayedPinCode(code),
        ]
    )
    func secrets(_ pairing: SimulatedPairing) async throws {
        let slot = await BusSlot.acquire()
        defer { withExtendedLifetime(slot) {} }
        let system = try await Session.world()
        await system.perform { $0.device(Session.address)?.pairing = pairing }
        try await Recorder.with(.trace) { recorder in
            let bluejay = await recorder.run {
                Bluejay(mainLoop: recorder.loop, busAddress: system.busAddress)
            }
            let shown = Shown()
            await bluejay.setPairingHandler { request, _ in
                await shown.take(request)
                switch request {
                case .passkey: return .passkey(Self.passkey)
                case .pinCode: return .pinCode(Self.code)
                default: return .accept
                }
            }
            await bluejay.start()
            try await bluejay.waitUntilReady()
            for try await discovery in bluejay.scan(serviceIdentifiers: [Session.service]) {
                try await bluejay.connect(discovery.peripheralIdentifier, timeout: 10)
                break
            }
            try await bluejay.pair()
            let texts = await shown.texts
            #expect(!texts.isEmpty)
            for decision in [PairingDecision.passkey(Self.passkey), .pinCode(Self.code)] {
                await shown.note("\(decision) \(String(reflecting: decision))")
            }
            var secrets = await shown.secrets + [Self.code, "\(Self.passkey)"]
            secrets.removeAll { $0.isEmpty }
            for text in await shown.texts + recorder.lines.map(\.everything) {
                for secret in secrets { #expect(!text.contains(secret)) }
            }
            let received = recorder.lines(of: "bluejay.connection").map(\.message)
            #expect(received.contains("pairing request received"))
        }
    }

    private actor Shown {
        var texts: [String] = []
        var secrets: [String] = []

        func take(_ request: PairingRequest) {
            var dumped = ""
            dump(request, to: &dumped)
            texts += ["\(request)", String(reflecting: request), dumped]
            // Without leading zeroes.
            let digits = (request.digits ?? "").drop { $0 == "0" }
            secrets.append(String(digits))
        }

        func note(_ text: String) { texts.append(text) }
    }
}
