import Bluejay
import Foundation
import Staging

extension RecordingCentral {
    func task<Value: Swift.Sendable>(
        _ task: @escaping @Sendable (SynchronizedPeripheral) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            loop.post { [self] in
                bluejay.run(backgroundTask: task) { result in
                    switch result {
                    case .success(let value): continuation.resume(returning: value)
                    case .failure(let error): continuation.resume(throwing: error)
                    }
                }
            }
        }
    }

    /// Adds a line to the record on the loop, from any thread.
    func noteLater(_ text: String) {
        loop.post { [self] in recordEvent(text) }
    }
}

/// Records its calls and always returns the same answer.
final class NotingHandler: DisconnectHandler, @unchecked Swift.Sendable {
    private let central: RecordingCentral
    private let answer: AutoReconnectMode

    /// Registers itself; the caller must retain it, because the central does not.
    init(_ central: RecordingCentral, answer: AutoReconnectMode = .noChange) async {
        self.central = central
        self.answer = answer
        await central.run { [self] in $0.bluejay.registerDisconnectHandler(handler: self) }
    }

    func didDisconnect(
        from peripheral: PeripheralIdentifier,
        with error: (any Error)?,
        willReconnect autoReconnect: Bool
    ) -> AutoReconnectMode {
        central.recordEvent("handler \(autoReconnect)")
        return answer
    }
}

// Swift 6.3.1 may confuse a closure in the argument of `#expect` with another one if `#expect` itself is in a
// closure; calls of these functions contain no closure.
extension RecordingCentral {
    func isListening(to characteristic: CharacteristicIdentifier) async -> Bool? {
        await read { try? $0.bluejay.isListening(to: characteristic) }
    }

    func isConnecting() async -> Bool {
        await read { $0.bluejay.isConnecting }
    }

    func reconnects() async -> Bool {
        await read { $0.bluejay.shouldAutoReconnect }
    }

    func hasStarted() async -> Bool {
        await read { $0.bluejay.hasStarted }
    }

    func services() async -> [PeripheralService] {
        await read { $0.bluejay.services }
    }
}
