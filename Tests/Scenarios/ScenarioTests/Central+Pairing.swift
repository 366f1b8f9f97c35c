import Bluejay
import Staging

/// Whether BlueZ reports a failed pairing, for any reason.
func isPairingFailure(_ error: any Error) -> Bool {
    (error as? BluejayError)?.code == .pairingFailed
}

extension RecordingCentral {
    func pair(timeout: Timeout = .seconds(60)) async throws {
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Void, any Error>) in
            loop.post { [self] in
                bluejay.pair(timeout: timeout) { result in
                    switch result {
                    case .success: continuation.resume()
                    case .failure(let error): continuation.resume(throwing: error)
                    }
                }
            }
        }
    }

    /// Starts pairing and records the end as `paired` or `not paired: …`.
    func beginPairing(timeout: Timeout = .seconds(60)) async {
        await run { central in
            central.bluejay.pair(timeout: timeout) { [weak central] result in
                switch result {
                case .success: central?.recordEvent("paired")
                case .failure(let error): central?.recordEvent("not paired: \(errorName(error))")
                }
            }
        }
    }

    func cancelPairing() async throws {
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Void, any Error>) in
            loop.post { [self] in bluejay.cancelPairing { continuation.resume(with: $0) } }
        }
    }

    /// Records each request as `asked: confirmation` and passes it to `handler`.
    func answerPairing(
        _ handler: @escaping @Sendable (PairingRequest, PairingResponder) -> Void
    ) async {
        await run { central in
            central.bluejay.setPairingHandler { [weak central] request, _, responder in
                central?.recordEvent("asked: \(request)")
                handler(request, responder)
            }
        }
    }

    /// Records each request, leaves it unanswered, and records its end as `over: confirmation`.
    func keepPairingQuestions() async {
        await run { central in
            central.bluejay.setPairingHandler { [weak central] request, _, responder in
                responder.onEnd = { [weak central] in central?.recordEvent("over: \(request)") }
                central?.retainedObjects.append(responder)
                central?.recordEvent("asked: \(request)")
            }
        }
    }
}
