import BluejayStreams
import Dispatch
import Foundation

/// The only reader of standard input: bytes for a connection, and lines for questions.
///
/// It reads only on request, so the writer waits for the program. While a question is open, the next line
/// answers it; all other input belongs to the connection.
@MainActor
final class InputBytes {
    private var source: (any DispatchSourceRead)?
    private var bytes = Data()
    private var lines = Data()
    private var isAtEnd = false
    private var isReadScheduled = false
    /// Whether a connection reads the bytes.
    private var hasByteReader = false
    private var byteWaiter: CheckedContinuation<Data?, Never>?
    private var lineWaiter: CheckedContinuation<String?, Never>?
    private var lineRequests = 0

    /// Returns the next bytes, or `nil` at the end of the input and when the task is cancelled.
    func next() async -> Data? {
        hasByteReader = true
        guard !Task.isCancelled else { return nil }
        guard bytes.isEmpty, !isAtEnd else { return drainBytes() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                byteWaiter = continuation
                watch()
            }
        } onCancel: {
            Task { @MainActor in self.resumeByteWaiter(nil) }
        }
    }

    /// Returns the next line, which answers a question; `nil` at the end of the input and when the task is
    /// cancelled.
    ///
    /// A second request ends the first one with `nil`. If a connection reads the bytes, input from before the
    /// request stays with the connection.
    func line() async -> String? {
        resumeLineWaiter(nil)
        if hasByteReader { bufferPendingInput() }
        if let line = removeLine() { return line }
        guard !Task.isCancelled, !isAtEnd else { return nil }
        lineRequests += 1
        let request = lineRequests
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                lineWaiter = continuation
                watch()
            }
        } onCancel: {
            Task { @MainActor in if self.lineRequests == request { self.resumeLineWaiter(nil) } }
        }
    }

    /// Whether the input has ended without another line; never waits.
    var hasEnded: Bool {
        let lineEnd = UInt8(ascii: "\n")
        while !hasByteReader, !isAtEnd, !lines.contains(lineEnd), StandardStreams.isInputReady {
            let data = Self.available()
            isAtEnd = data.isEmpty
            lines += data
        }
        return isAtEnd && lines.isEmpty
    }

    func close() {
        resumeLineWaiter(nil)
        resumeByteWaiter(nil)
    }

    /// Reads the available bytes; empty at the end of the input, and if the parent has closed it.
    private static func available() -> Data {
        let isReadable = fcntl(STDIN_FILENO, F_GETFL) & O_ACCMODE != O_WRONLY
        return isReadable ? FileHandle.standardInput.availableData : Data()
    }

    private func watch() {
        guard source == nil, !isReadScheduled else { return }
        // Dispatch reports no input of a device such as /dev/null, which is always ready.
        if StandardStreams.isInputReady {
            isReadScheduled = true
            DispatchQueue.main.async {
                MainActor.assumeIsolated { [weak self] in
                    self?.isReadScheduled = false
                    self?.read()
                }
            }
            return
        }
        let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .main)
        source.setEventHandler { MainActor.assumeIsolated { [weak self] in self?.read() } }
        self.source = source
        source.resume()
    }

    private func unwatch() {
        guard byteWaiter == nil, lineWaiter == nil else { return }
        source?.cancel()
        source = nil
    }

    private func read() {
        guard byteWaiter != nil || lineWaiter != nil else { return }
        defer { if byteWaiter != nil || lineWaiter != nil { watch() } }
        guard StandardStreams.isInputReady else { return }
        let data = Self.available()
        isAtEnd = data.isEmpty
        guard lineWaiter != nil else {
            bytes += data
            return resumeByteWaiter(drainBytes())
        }
        lines += data
        if let line = removeLine() {
            resumeLineWaiter(line)
        } else if isAtEnd {
            resumeLineWaiter(nil)
        }
        if hasByteReader, lineWaiter == nil {
            bytes += lines
            lines = Data()
        }
        if !bytes.isEmpty || isAtEnd { resumeByteWaiter(drainBytes()) }
    }

    private func bufferPendingInput() {
        while !isAtEnd, StandardStreams.isInputReady {
            let data = Self.available()
            isAtEnd = data.isEmpty
            bytes += data
        }
        if byteWaiter != nil, !bytes.isEmpty { resumeByteWaiter(drainBytes()) }
    }

    private func drainBytes() -> Data? {
        defer { bytes = Data() }
        return bytes.isEmpty ? nil : bytes
    }

    /// Removes and returns the first complete line, or the rest at the end of the input.
    private func removeLine() -> String? {
        guard let end = lines.firstIndex(of: UInt8(ascii: "\n")) else {
            guard isAtEnd, !lines.isEmpty else { return nil }
            defer { lines = Data() }
            return String(decoding: lines, as: UTF8.self)
        }
        defer { lines = Data(lines[lines.index(after: end)...]) }
        return String(decoding: lines[..<end], as: UTF8.self)
    }

    private func resumeByteWaiter(_ data: Data?) {
        let waiter = byteWaiter
        byteWaiter = nil
        unwatch()
        waiter?.resume(returning: data)
    }

    private func resumeLineWaiter(_ line: String?) {
        let waiter = lineWaiter
        lineWaiter = nil
        unwatch()
        waiter?.resume(returning: line)
    }
}
