import Bluejay
import BluejayAsync
import BluejaySimulator
import Foundation
import TestSupport
import Testing

@Suite("Pairing with await", .timeLimit(.minutes(15)))
struct PairingTests {
    private func connected(_ pairing: SimulatedPairing) async throws -> AsyncStage {
        let stage = try await AsyncStage.connected()
        try await stage.gadget { $0.pairing = pairing }
        return stage
    }

    @Test("An async pairing handler answers the request")
    func handler() async throws {
        let stage = try await connected(.passkey(42))
        await stage.bluejay.setPairingHandler { request, peripheral in
            await Task.yield()
            return request == .passkey && peripheral.name == "Gadget" ? .passkey(42) : .reject
        }
        try await stage.bluejay.pair()
        #expect(try await stage.bluejay.peripheralDetails().isPaired)
        await stage.bluejay.setPairingHandler(nil)
    }

    @Test("The return value of an async handler is the answer")
    func refused() async throws {
        let stage = try await connected(.confirmation(1, isAgreed: true))
        await stage.bluejay.setPairingHandler { _, _ in .reject }
        await #expect(throws: BluejayError.pairingRejected) { try await stage.bluejay.pair() }
    }

    @Test("Cancelling the task of a pairing also cancels the handler")
    func cancelled() async throws {
        let stage = try await connected(.passkey(42))
        let (asked, tell) = AsyncStream.makeStream(of: Bool.self)
        await stage.bluejay.setPairingHandler { _, _ in
            tell.yield(false)
            // Only the cancellation ends this sleep.
            try? await Task.sleep(for: .seconds(3600))
            tell.yield(Task.isCancelled)
            return .reject
        }
        let pairing = Task { try await stage.bluejay.pair() }
        var events = asked.makeAsyncIterator()
        #expect(await events.next() == false)
        pairing.cancel()
        await #expect(throws: CancellationError.self) { try await pairing.value }
        #expect(await events.next() == true)
        await stage.bluejay.setPairingHandler { _, _ in .passkey(42) }
        try await stage.bluejay.pair()
    }

    @Test("A display request ends with the pairing")
    func display() async throws {
        let stage = try await connected(.displayed(isTypedRight: true))
        let (ended, tell) = AsyncStream.makeStream(of: String.self)
        await stage.bluejay.setPairingHandler { request, _ in
            if case .displayPasskey(_, entered: 6) = request {
                // The user looks at the number until the end of the pairing cancels this task.
                try? await Task.sleep(for: .seconds(3600))
                tell.yield(request.digits ?? "")
            }
            return .accept
        }
        try await stage.bluejay.pair()
        var digits = ended.makeAsyncIterator()
        #expect(await digits.next()?.count == 6)
    }

    @Test("Another task can cancel a pairing, and cancelling without a pairing succeeds")
    func cancelPairing() async throws {
        let stage = try await connected(.passkey(42))
        let (asked, tell) = AsyncStream.makeStream(of: Void.self)
        await stage.bluejay.setPairingHandler { _, _ in
            tell.yield()
            // The user does not answer until the cancelled pairing ends this task.
            try? await Task.sleep(for: .seconds(3600))
            return .reject
        }
        let pairing = Task { try await stage.bluejay.pair() }
        var events = asked.makeAsyncIterator()
        await events.next()
        try await stage.bluejay.cancelPairing()
        await #expect(throws: BluejayError.cancelled) { try await pairing.value }
        try await stage.bluejay.cancelPairing()
    }
}
