import BluejayCore
import Testing

@testable import BluejayTool

@Suite("Pairing prompts", .timeLimit(.minutes(15)))
struct PairingPromptTests {
    static let questions: [(PairingRequest, String, Bool)] = [
        (.passkey, "enter the passkey shown by X:", true),
        (.confirmation(passkey: 4711), "does X show 004711? yes or no:", true),
        (.displayPasskey(42, entered: 2), "enter 000042 on X", false),
        (.displayPinCode("0000"), "enter 0000 on X", false),
        (.authorization, "pair with X without comparison? yes or no:", true),
        (.pinCode, "enter the PIN code of X:", true),
        (
            .service(ServiceIdentifier(uuid: "110B")),
            "allow X to use the service 110B? yes or no:", true
        ),
    ]

    @Test("Each pairing request has a prompt", arguments: questions)
    func words(request: PairingRequest, words: String, isAsked: Bool) {
        let question = PairingPrompt(request, of: "X")
        #expect(question.text == words)
        #expect(question.needsReply == isAsked)
    }

    static let answers: [(PairingRequest, String, PairingDecision?)] = [
        (.passkey, "123456", .passkey(123_456)), (.passkey, " 000 042 ", .passkey(42)),
        (.passkey, "1234567", nil), (.passkey, "", nil), (.passkey, "yes", nil),
        (.passkey, "-1", nil), (.passkey, "٤٢", nil), (.confirmation(passkey: 1), "Yes", .accept),
        (.confirmation(passkey: 1), "n", .reject), (.confirmation(passkey: 1), "1", nil),
        (.authorization, "y", .accept), (.pinCode, "0000", .pinCode("0000")),
        (.pinCode, "12345678901234567", nil),
    ]

    @Test(
        "A matching reply decides the request; any other reply repeats the prompt",
        arguments: answers
    )
    func answer(request: PairingRequest, line: String, decision: PairingDecision?) {
        #expect(PairingPrompt(request, of: "X").decision(line) == decision)
    }
}
