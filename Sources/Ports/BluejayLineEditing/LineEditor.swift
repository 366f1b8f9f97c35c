internal import CBluejayEdit
package import Foundation

/// Reads lines that the user types and edits at the terminal of standard input and output.
///
/// Keys are those of Emacs. Ctrl-C discards the line, Ctrl-D in an empty line is the end of the input, Tab
/// completes the word, and the arrow keys recall earlier lines.
// Each call of libedit is on `queue`, except for `restoreTerminal`: that invariant justifies `@unchecked`.
@safe package final class LineEditor: @unchecked Sendable {
    /// The result of Tab.
    package struct Completion: Sendable {
        /// The text to insert at the cursor.
        package let inserted: String
        /// The candidates to show.
        package let candidates: [String]

        package init(inserted: String = "", candidates: [String] = []) {
            self.inserted = inserted
            self.candidates = candidates
        }
    }

    /// Completes a line; receives the text before the cursor, on a thread of the editor.
    package typealias Complete = @Sendable (String) -> Completion

    private final class Completer {
        let complete: Complete

        init(_ complete: @escaping Complete) {
            self.complete = complete
        }
    }

    private let editor: OpaquePointer
    private let completer: Completer
    private let queue = DispatchQueue(label: "line editor")

    /// Prepares the terminal; fails if standard input is not a terminal.
    ///
    /// - Parameters:
    ///   - history: The file of the earlier lines, in an existing folder.
    ///   - complete: Called for each Tab.
    package init?(history: URL, complete: @escaping Complete) {
        let completer = Completer(complete)
        let context = unsafe Unmanaged.passUnretained(completer).toOpaque()
        let editor = unsafe bluejay_editor_new(
            history.path,
            { context, text, inserted, shown in
                guard let context = unsafe context, let text = unsafe text else { return }
                let completer = unsafe Unmanaged<Completer>.fromOpaque(context)
                    .takeUnretainedValue()
                let result = completer.complete(unsafe String(cString: text))
                unsafe inserted?.pointee = unsafe strdup(result.inserted)
                guard !result.candidates.isEmpty else { return }
                unsafe shown?.pointee = unsafe strdup(result.candidates.joined(separator: "  "))
            },
            context
        )
        guard let editor = unsafe editor else { return nil }
        unsafe self.editor = unsafe editor
        self.completer = completer
    }

    deinit {
        unsafe bluejay_editor_free(editor)
    }

    /// Waits for a line.
    ///
    /// - Parameter prompt: The text before the line.
    /// - Returns: The line without its line break, or `nil` at the end of the input.
    package func line(prompt: String) async -> String? {
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                guard let line = unsafe bluejay_editor_read(editor, prompt) else {
                    return continuation.resume(returning: nil)
                }
                defer { unsafe free(line) }
                continuation.resume(returning: unsafe String(cString: line))
            }
        }
    }

    /// Gives the terminal its original settings while a line is read; any thread may call it.
    package func restoreTerminal() {
        unsafe bluejay_editor_restore(editor)
    }
}
