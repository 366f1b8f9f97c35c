import BluejayBlueZ
import BluejayCore
import BluejayGLib
import Foundation
import Testing

@Suite("The passkeys of a provider", .timeLimit(.minutes(5)))
struct PasskeyResponderTests {
    private static let requests: [(PairingRequest, UInt32?, PairingDecision)] = [
        (.passkey, 123_456, .passkey(123_456)),
        (.passkey, nil, .reject),
        (.confirmation(passkey: 5), 5, .accept),
        (.confirmation(passkey: 5), 6, .reject),
        (.confirmation(passkey: 5), nil, .reject),
        (.pinCode, 5, .reject),
        (.displayPasskey(5, entered: 0), 5, .reject),
    ]

    @Test(
        "A request for a number is accepted with the number of the provider only",
        arguments: requests
    )
    func numbers(request: PairingRequest, number: UInt32?, expected: PairingDecision) async {
        #expect(await Self.decision(on: request) { _ in number } == expected)
    }

    @Test("Without a provider, each request for a number is rejected")
    func noProvider() async {
        #expect(await Self.decision(on: .passkey) == .reject)
        #expect(await Self.decision(on: .confirmation(passkey: 5)) == .reject)
    }

    @Test("A pairing without a number is accepted if the user allows it", arguments: [true, false])
    func authorization(isAllowed: Bool) async {
        let decision = await Self.decision(on: .authorization, acceptsAuthorization: isAllowed)
        #expect(decision == (isAllowed ? .accept : .reject))
    }

    @Test(
        "The user learns whether the numbers differ",
        arguments: [(5, .accepted), (6, .numberMismatch), (nil, .rejected)]
            as [(UInt32?, PasskeyResponder.Outcome)]
    )
    func outcome(number: UInt32?, expected: PasskeyResponder.Outcome) async {
        let loop = MainLoop(threadName: "passkeys")
        let outcome = await withCheckedContinuation { continuation in
            PasskeyResponder({ _ in number }, acceptsAuthorization: false, on: loop).respond(
                to: .confirmation(passkey: 5),
                with: PairingResponder(endCallback: IgnoredCallback()) { _ in },
                for: UUID()
            ) { continuation.resume(returning: $0) }
        }
        #expect(outcome == expected)
    }

    private static func decision(
        on request: PairingRequest,
        acceptsAuthorization: Bool = false,
        provider: PasskeyResponder.Provider? = nil
    ) async -> PairingDecision? {
        let loop = MainLoop(threadName: "passkeys")
        let (decisions, continuation) = AsyncStream<PairingDecision?>.makeStream()
        PasskeyResponder(provider, acceptsAuthorization: acceptsAuthorization, on: loop).respond(
            to: request,
            with: PairingResponder(endCallback: IgnoredCallback()) { continuation.yield($0) },
            for: UUID()
        )
        for await decision in decisions { return decision }
        return nil
    }
}

private final class IgnoredCallback: CallbackHolder {
    var callback: (@isolated(any) () -> Void)? {
        get { nil }
        set {}
    }

    func call() {}
}
