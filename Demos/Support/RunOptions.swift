package import ArgumentParser

/// What several demos understand.
package struct RunOptions: ParsableArguments {
    @Option(help: "The adapter: a name (hci0) or an address. Default: the first that is on.")
    package var adapter: String?

    @Option(
        name: .customLong("for"),
        parsing: .unconditional,
        help: ArgumentHelp("End after this many seconds.", valueName: "seconds")
    )
    package var seconds: Double?

    @Flag(help: "Write one JSON object a line.")
    package var json = false

    package init() {}

    package func validate() throws {
        try checkSeconds(seconds, of: "--for")
    }
}

/// Refuses what is no time to wait.
///
/// - Parameters:
///   - seconds: What was asked for; nil is nothing.
///   - option: Where it stands.
/// - Throws: A `ValidationError` that says what there may be.
package func checkSeconds(_ seconds: Double?, of option: String) throws {
    guard let seconds else { return }
    guard seconds > 0, seconds <= 1_000_000_000 else {
        throw ValidationError("\(option) takes a number of seconds above 0, at most a billion")
    }
}

/// The end of a demo's help.
///
/// - Parameters:
///   - success: What 0 says.
///   - failure: What 1 says.
/// - Returns: Lines, of which the first has no space in front of it.
package func exitStatuses(success: String, failure: String) -> String {
    """
    Exit status:
      0   \(success)
      1   \(failure)
      64  the command line is wrong
    """
}

extension String {
    /// The text with two spaces in front of each line, as a list stands in a help.
    package var indented: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { "  \($0)" }
            .joined(separator: "\n")
    }
}
