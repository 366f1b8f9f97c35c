import Foundation

@testable import Bluejay
@testable import BluejayBlueZ
@testable import BluejayCore
@testable import BluejayDBus

/// Feeds names and texts of errors to the errors of the library.
enum AnswerFuzzing {
    private static let names = [
        "org.bluez.Error.Failed", "org.bluez.Error.InProgress", "org.bluez.Error.NotPermitted",
        "org.bluez.Error.InvalidArguments", "org.bluez.Error.NotConnected",
        "org.bluez.Error.AuthenticationFailed", "org.bluez.Error.",
        "org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.AccessDenied",
        "org.freedesktop.DBus.Error.UnknownObject", "org.freedesktop.DBus.Error.LimitsExceeded",
    ]
    private static let texts = [
        "Operation failed with ATT error: 0x", "le-connection-", "br-connection-", "-acquired",
        "Not paired", "Invalid offset", "Software caused connection abort", "key-missing", ": ",
    ]

    static func play(_ bytes: Data) throws {
        var input = FuzzInput(bytes)
        let name = input.flag() ? input.choice(of: names) : input.text()
        let start = input.flag() ? input.choice(of: texts) : ""
        let error = BusError(
            name: name,
            message: start + String(decoding: input.rest, as: UTF8.self)
        )
        for failure in [BlueZFailure(error), BlueZFailure(local: error)] { try check(failure) }
        try checkCode(error)
        try checkAnswer(error.description)
    }

    private static func check(_ failure: BlueZFailure) throws {
        _ = (failure.reason, failure.errorText, failure.isRefusalForNow, failure.isAcquired)
        _ = (failure.isPairingFailure, failure.isPairingCancelled)
        for state in [BluetoothState.unknown, .poweredOn] {
            _ = failure.unavailability(state)
            let error = BluejayError(failure, state: state)
            let text = error.description
            try expect(!text.isEmpty, "\(failure) has no text")
            try expect(text == text.displayText, "\(text) has hidden characters")
            _ = (error.code, error.errorDescription)
        }
    }

    private static func checkCode(_ error: BusError) throws {
        guard let code = BlueZFailure.attributeCode(in: error.message) else { return }
        let digits = String(code, radix: 16)
        let text = error.message.lowercased()
        try expect(
            text.contains("att error: 0x\(digits)") || text.contains("att error: 0x0\(digits)"),
            "\(error.message) has the code \(code)"
        )
    }

    private static func checkAnswer(_ answer: String) throws {
        let (name, text) = BlueZAnswer.parts(of: answer)
        let whole = name.isEmpty ? text : text.isEmpty ? name : "\(name): \(text)"
        try expect(answer.hasPrefix(whole), "\(answer) is split into \(name) and \(text)")
        _ = (BlueZAnswer.explained(answer), BlueZAnswer.pairing(answer))
        _ = (BlueZAnswer.isPermanent(answer), BlueZAnswer.other(name, text))
    }
}
