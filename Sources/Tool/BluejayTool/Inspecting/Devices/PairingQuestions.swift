import Bluejay
import BluejayCore

/// The open requests of a pairing, answered by dialogs.
@MainActor
final class PairingQuestions {
    private let emit: @MainActor (InspectorEvent) -> Void
    private var replies: [Int: CheckedContinuation<PairingDecision, Never>] = [:]
    private var lastNumber = 0

    /// - Parameter emit: Receives each request and its end.
    init(_ emit: @escaping @MainActor (InspectorEvent) -> Void) {
        self.emit = emit
    }

    /// Asks, and waits for ``reply(_:_:)``; a request that ends first is rejected.
    func decide(_ request: PairingRequest, of device: PeripheralIdentifier) async -> PairingDecision
    {
        lastNumber += 1
        let number = lastNumber
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !Task.isCancelled else { return continuation.resume(returning: .reject) }
                replies[number] = continuation
                let prompt = PairingPrompt(request, of: device.displayText)
                emit(.pairingRequested(number, prompt))
            }
        } onCancel: {
            Task { @MainActor in self.end(number) }
        }
    }

    func reply(_ number: Int, _ decision: PairingDecision) {
        replies.removeValue(forKey: number)?.resume(returning: decision)
    }

    /// Rejects all requests.
    func close() {
        for number in replies.keys { end(number) }
    }

    private func end(_ number: Int) {
        reply(number, .reject)
        emit(.pairingRequestEnded(number))
    }
}
