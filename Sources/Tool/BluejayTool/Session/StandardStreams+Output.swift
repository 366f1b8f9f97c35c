import BluejayStreams
import Foundation

extension StandardStreams {
    /// Writes a text to standard output; a reader that has closed it is not an error.
    ///
    /// - Throws: ``ToolFailure`` for every other error.
    static func writeOutput(_ text: String) throws(ToolFailure) {
        do {
            try write(Data(text.utf8), to: STDOUT_FILENO)
        } catch {
            if let failure = error.failure { throw failure }
        }
    }
}

extension WriteError {
    /// The failure of the program; `nil` if the reader has closed the output.
    var failure: ToolFailure? {
        guard number != EPIPE else { return nil }
        return ToolFailure("standard output cannot be written: \(reason)")
    }
}
