package import ArgumentParser

/// The options that several demos share.
package struct RunOptions: ParsableArguments {
    @Option(help: "The adapter: a name (hci0) or an address. Default: the first that is on.")
    package var adapter: String?

    @Option(
        name: .customLong("for"),
        parsing: .unconditional,
        help: ArgumentHelp("End after this many seconds.", valueName: "seconds")
    )
    package var seconds: Double?

    @Flag(help: "Write one JSON object per line.")
    package var json = false

    package init() {}

    package func validate() throws {
        try checkSeconds(seconds, of: "--for")
    }
}

/// Validates a time in seconds.
///
/// - Parameters:
///   - seconds: The value of the option, or `nil`.
///   - option: The name of the option.
/// - Throws: A `ValidationError` with the valid range.
package func checkSeconds(_ seconds: Double?, of option: String) throws {
    guard let seconds else { return }
    guard seconds > 0, seconds <= 1_000_000_000 else {
        throw ValidationError("\(option) takes a number of seconds above 0, at most a billion")
    }
}

/// Returns the end of a demo's help.
///
/// - Parameters:
///   - success: The meaning of status 0.
///   - failure: The meaning of status 1.
/// - Returns: The lines, of which the first is not indented.
package func exitStatuses(success: String, failure: String) -> String {
    """
    Exit status:
      0   \(success)
      1   \(failure)
      64  invalid command line
    """
}

extension String {
    /// The text with each line indented by two spaces, as a list in a help.
    package var indented: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { "  \($0)" }
            .joined(separator: "\n")
    }
}
