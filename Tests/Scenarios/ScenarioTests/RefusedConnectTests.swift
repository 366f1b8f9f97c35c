import Bluejay
import BluejaySimulator
import Foundation
import Staging
import Synchronization
import TestSupport
import TestTraits
import Testing

/// Tests `LinkConnector` and `ConnectOperation`.
@Suite(
    "A connect that bluetoothd rejects",
    .enabled(if: !isRealBlueZ, "only the simulated bluetoothd rejects calls on request"),
    .timeLimit(.minutes(15))
)
struct RefusedConnectTests {
    private func refusal(
        _ text: String,
        name: String = "org.bluez.Error.Failed",
        _ check: @escaping @Sendable (RecordingCentral) async throws -> Void = { _ in }
    ) async throws -> BluejayError? {
        let found = Mutex<BluejayError?>(nil)
        try await withTestbed(isRecorded: false) { context in
            let gadget = try await context.found(.gadget([]))
            try await context.simulate {
                $0.apply(.callsRefused("Connect", name: name, text: text))
            }
            do {
                try await gadget.central.connect(gadget.identifier)
            } catch let error as BluejayError {
                found.withLock { $0 = error }
            }
            try await check(gadget.central)
        }
        return found.withLock { $0 }
    }

    @Test(
        "The error of a rejected connect quotes BlueZ's reason",
        .pitfall(.oneTextForAllFailures, .classicTextOnLowEnergy),
        arguments: [
            "le-connection-abort-by-local", "br-connection-not-supported", "Too many links",
            "br-connection-profile-unavailable", "br-connection-page-timeout", "Host is down",
        ]
    )
    func known(text: String) async throws {
        let error = try await refusal(text)
        #expect(error == .unexpectedDisconnect)
        #expect(error?.description.contains("(\(text)); ") == true)
        #expect(error?.blueZText == text)
    }

    @Test("The error of a rejected connect quotes an unknown reason unchanged")
    func unknown() async throws {
        let error = try await refusal("the moon is full")
        #expect(error == .unexpectedDisconnect)
        #expect(error?.description.contains("(org.bluez.Error.Failed: the moon is full)") == true)
    }

    @Test("A bus policy that denies Connect is reported as unauthorized", .pitfall(.permissions))
    func denied() async throws {
        let error = try await refusal("no", name: "org.freedesktop.DBus.Error.AccessDenied")
        #expect(error == .bluetoothUnavailable(.unauthorized("no")))
    }

    @Test("Lost keys are reported as pairingFailed", .pitfall(.staleBond))
    func keys() async throws {
        let error = try await refusal(
            "LE Link Key missing",
            name: "org.bluez.Error.LeConnectionKeyMissing"
        )
        #expect(error?.code == .pairingFailed)
        #expect(error?.description.contains("lost the keys") == true)
    }
}
