import Dispatch
import Foundation

/// The lines of standard input, on the main queue.
package final class StandardInput {
    private let source: any DispatchSourceRead

    /// Calls `handler` for each line, and `onEnd` once at the end of the input, which ends nothing else.
    package init(
        onEnd: @escaping @Sendable () -> Void = {},
        _ handler: @escaping @Sendable (String) -> Void
    ) {
        let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .main)
        self.source = source
        let buffer = LineBuffer()
        source.setEventHandler {
            let data = FileHandle.standardInput.availableData
            for line in buffer.lines(with: data) { handler(line) }
            guard data.isEmpty else { return }
            source.cancel()
            onEnd()
        }
        source.resume()
    }

    package func cancel() {
        source.cancel()
    }
}

// Used on the main queue only.
private final class LineBuffer: @unchecked Sendable {
    private var rest = Data()

    /// Returns the complete lines; at the end of the input, also a last one without a line break.
    func lines(with data: Data) -> [String] {
        rest += data
        var parts = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        rest = data.isEmpty ? Data() : parts.popLast().map { Data($0) } ?? Data()
        return parts.map { String(decoding: $0, as: UTF8.self) }.filter { !$0.isEmpty }
    }
}
