import BluejayCore
import TestTraits
import Testing

@Suite("Descriptions of bluetoothd's errors")
struct BlueZAnswerTests {
    /// All texts that BlueZ 5.62 to 5.87 sends for a rejected `Connect`, without the prefix.
    private static let lowEnergy = [
        "invalid-arguments", "adapter-not-powered", "not-supported", "already-connected",
        "bad-socket", "memory-allocation", "busy", "refused", "create-socket", "timeout",
        "concurrent-connection-limit", "abort-by-remote", "abort-by-local",
        "link-layer-protocol-error", "gatt-browsing", "key-missing", "unknown",
    ].map { "le-connection-" + $0 }
    private static let classic = [
        "already-connected", "page-timeout", "profile-unavailable", "sdp-search", "create-socket",
        "invalid-argument", "adapter-not-powered", "not-supported", "bad-socket",
        "memory-allocation", "busy", "concurrent-connection-limit", "timeout", "refused",
        "aborted-by-remote", "aborted-by-local", "lmp-protocol-error", "canceled", "key-missing",
        "unknown",
    ].map { "br-connection-" + $0 }
    /// The texts before BlueZ 5.62, which are those of glibc.
    private static let texts = [
        "Host is down", "Protocol not available", "Input/output error", "Invalid argument",
        "No route to host", "Operation not supported", "File descriptor in bad state",
        "Cannot allocate memory", "Device or resource busy", "Too many links",
        "Connection timed out", "Connection refused", "Connection reset by peer",
        "Software caused connection abort", "Protocol error", "Operation canceled",
        "Invalid exchange", "Transport endpoint is already connected",
    ]

    private func refused(_ text: String, name: String = "org.bluez.Error.Failed") -> BluejayError {
        .unexpectedDisconnect.withBlueZError(name: name, text: text)
    }

    @Test(
        "Each known error of Connect has its own description and a remedy",
        .pitfall(.classicTextOnLowEnergy, .dualModePrefersClassic)
    )
    func known() {
        let bare = BluejayError.unexpectedDisconnect.description
        for family in [Self.lowEnergy, Self.classic, Self.texts] {
            let sentences = family.map { text -> String in
                let sentence = refused(text).description
                #expect(sentence != bare)
                #expect(sentence.contains(" (\(text)); "), "\(text) is not known")
                #expect(sentence.hasPrefix("the connection was lost or refused: "))
                return sentence.replacing("(\(text))", with: "")
            }
            #expect(Set(sentences).count == family.count)
        }
    }

    @Test("An unknown error of Connect shows BlueZ's text")
    func unknown() {
        for (name, text) in [
            ("org.bluez.Error.Failed", "le-connection-moon"), ("org.bluez.Error.Strange", "why"),
            ("org.bluez.Error.Strange", ""), ("org.freedesktop.DBus.Error.Strange", "why"),
        ] {
            let answer = text.isEmpty ? name : "\(name): \(text)"
            #expect(refused(text, name: name).description.contains("(\(answer))"))
            #expect(BluejayError.connectionFailed(answer).description.contains("(\(answer))"))
        }
        // A text of this library, which is no answer of BlueZ.
        let reason = BluejayError.unexpectedDisconnect.withCause("the link broke")
        #expect(reason.description.contains("(the link broke)"))
        #expect(reason.blueZText == nil)
    }

    @Test("The disconnect handler receives the same cause and remedy as the completion")
    func handler() {
        for text in Self.lowEnergy + Self.classic + Self.texts {
            let completion = refused(text).description
                .replacing("the connection was lost or refused", with: "the connection failed")
            let handler = BluejayError.connectionFailed("org.bluez.Error.Failed: \(text)")
            #expect(handler.description == completion)
            #expect(handler.isRetryable == refused(text).isRetryable)
        }
    }

    @Test("A permanent refusal is not retryable")
    func permanent() {
        let lasting = (Self.lowEnergy + Self.classic + Self.texts).filter {
            !refused($0).isRetryable
        }
        #expect(
            lasting == [
                "le-connection-invalid-arguments", "le-connection-not-supported",
                "br-connection-profile-unavailable", "br-connection-invalid-argument",
                "br-connection-not-supported", "Protocol not available", "Invalid argument",
                "Operation not supported",
            ]
        )
        #expect(refused("le-connection-moon").isRetryable)
        #expect(BluejayError.unexpectedDisconnect.isRetryable)
        let name = "org.bluez.Error.BREDR.ProfileUnavailable"
        #expect(!refused("No more profiles to connect to", name: name).isRetryable)
    }

    @Test("Each known error of Pair has its own description, and an unknown one shows BlueZ's text")
    func pairing() {
        let known = [
            "AuthenticationFailed: Authentication Failed",
            "AuthenticationCanceled: Authentication Canceled",
            "AuthenticationRejected: Authentication Rejected",
            "AuthenticationTimeout: Authentication Timeout",
            "ConnectionAttemptFailed: Page Timeout", "InProgress: In Progress",
            "Failed: br-connection-key-missing", "Failed: le-connection-abort-by-local",
        ].map { "org.bluez.Error." + $0 }
        for answer in known {
            let sentence = BluejayError.pairingFailed(answer).description
            #expect(sentence.hasPrefix("pairing failed: "), "\(answer)")
            #expect(sentence.contains("(\(answer))"))
        }
        #expect(Set(known.map { BluejayError.pairingFailed($0).description }).count == known.count)
        let strange = BluejayError.pairingFailed("org.bluez.Error.Strange: why").description
        #expect(strange.contains("(org.bluez.Error.Strange: why)"))
    }

    @Test(
        "Errors of other calls contain a remedy",
        arguments: [
            ("NotPermitted", "Notify acquired"), ("InProgress", "In Progress"), ("Busy", ""),
            ("Failed", "Failed to subscribe"), ("Failed", "Failed to register notify session"),
            ("Failed", "Operation failed"), ("Failed", "Failed to initiate write"),
            ("InvalidArguments", "Invalid arguments in method call"), ("NotAvailable", "Not now"),
            ("NotSupported", "Operation is not supported"), ("DoesNotExist", "Does Not Exist"),
        ]
    )
    func others(kind: String, text: String) {
        let name = "org.bluez.Error." + kind
        let sentence = BluejayError.daemon(name: name, message: text).description
        #expect(sentence.hasPrefix("BlueZ returned \(text.isEmpty ? name : "\(name): \(text)"); "))
    }
}
