import Dispatch
import Foundation

/// What a person can type while the peripheral runs.
enum PeripheralCommand: String, CaseIterable {
    case chirp, add, remove, help, quit

    /// One line a command.
    static let usage = """
        chirp    send an empty notification from the chirp service
        add      publish the chirp service again
        remove   take the chirp service back
        help     show these commands
        quit     end the program
        """
}

/// The lines of standard input, on the main queue.
final class StandardInput {
    private let source: any DispatchSourceRead

    /// Calls `handler` for each line; the end of the input ends nothing else.
    init(_ handler: @escaping @Sendable (String) -> Void) {
        let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .main)
        self.source = source
        let buffer = LineBuffer()
        source.setEventHandler {
            let data = FileHandle.standardInput.availableData
            for line in buffer.lines(with: data) { handler(line) }
            if data.isEmpty { source.cancel() }
        }
        source.resume()
    }

    func cancel() {
        source.cancel()
    }
}

// Used on the main queue only.
private final class LineBuffer: @unchecked Sendable {
    private var rest = Data()

    /// The lines that are whole now; at the end of the input, also a last one without a line break.
    func lines(with data: Data) -> [String] {
        rest += data
        var parts = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        rest = data.isEmpty ? Data() : parts.popLast().map { Data($0) } ?? Data()
        return parts.map { String(decoding: $0, as: UTF8.self) }.filter { !$0.isEmpty }
    }
}
