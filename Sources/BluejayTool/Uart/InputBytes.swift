import Dispatch
import Foundation

/// The bytes of standard input, as many at a time as there are, and only when they are asked for.
@MainActor
final class InputBytes {
    private var source: (any DispatchSourceRead)?
    private var waiter: CheckedContinuation<Data?, Never>?

    /// The next bytes; nil at the end of the input, and when the task is cancelled.
    ///
    /// Nothing is read before: whoever writes has to wait for whoever asks.
    func next() async -> Data? {
        guard !Task.isCancelled else { return nil }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiter = continuation
                let source = DispatchSource.makeReadSource(
                    fileDescriptor: STDIN_FILENO,
                    queue: .main
                )
                source.setEventHandler {
                    MainActor.assumeIsolated { [weak self] in self?.read() }
                }
                self.source = source
                source.resume()
            }
        } onCancel: {
            Task { @MainActor in self.give(nil) }
        }
    }

    private func read() {
        guard waiter != nil else { return }
        let data = FileHandle.standardInput.availableData
        give(data.isEmpty ? nil : data)
    }

    private func give(_ data: Data?) {
        source?.cancel()
        source = nil
        let waiter = waiter
        self.waiter = nil
        waiter?.resume(returning: data)
    }
}
