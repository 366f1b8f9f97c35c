import Bluejay
import Foundation
import Staging

extension Central {
    /// Runs a background task and waits for its completion.
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

    /// Notes something on the loop, from any thread.
    func noteLater(_ text: String) {
        loop.post { [self] in note(text) }
    }
}

/// Notes what it is asked, and answers always the same.
final class NotingHandler: DisconnectHandler, @unchecked Swift.Sendable {
    private let central: Central
    private let answer: AutoReconnectMode

    /// Registers itself; hold it, the central does not.
    init(_ central: Central, answer: AutoReconnectMode = .noChange) async {
        self.central = central
        self.answer = answer
        await central.run { [self] in $0.bluejay.registerDisconnectHandler(handler: self) }
    }

    func didDisconnect(
        from peripheral: PeripheralIdentifier,
        with error: (any Error)?,
        willReconnect autoReconnect: Bool
    ) -> AutoReconnectMode {
        central.note("handler \(autoReconnect)")
        return answer
    }
}

// Swift 6.3.1 can run another closure than the one in the argument of `#expect` when that stands in a
// closure itself; these have none.
extension Central {
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
