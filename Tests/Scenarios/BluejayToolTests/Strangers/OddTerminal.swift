import Foundation
import TestSupport
import Testing

@testable import BluejayTool

/// A place where the output of a command may go: a terminal of a size, or a redirection.
struct OddTerminal: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// The columns and rows of a terminal; `nil` without one.
    private(set) var size: (columns: Int, rows: Int)?
    /// Commands of a shell before the subcommand, which set variables.
    private(set) var setting = ""
    /// The redirection after the subcommand.
    private(set) var redirection = ""
    /// Whether escape sequences of the tool may appear.
    private(set) var hasStyles = false
    /// The exit status of a subcommand that prints something; `nil` for its usual one.
    private(set) var status: Int32?

    private static func terminal(
        _ columns: Int,
        _ rows: Int,
        _ title: String,
        setting: String = "export TERM=xterm",
        hasStyles: Bool = true
    ) -> OddTerminal {
        OddTerminal(
            testDescription: title,
            size: (columns, rows),
            setting: setting,
            hasStyles: hasStyles
        )
    }

    static let all = [
        terminal(20, 10, "a narrow terminal"),
        terminal(1, 1, "a terminal of one column"),
        terminal(0, 0, "a terminal without a size"),
        terminal(4000, 200, "a very wide terminal"),
        terminal(80, 24, "a terminal without colours", setting: "export TERM=xterm NO_COLOR=1"),
        terminal(80, 24, "a dumb terminal", setting: "export TERM=dumb", hasStyles: false),
        terminal(80, 24, "a terminal without TERM", setting: "unset TERM", hasStyles: false),
        terminal(80, 24, "a terminal with LANG=C", setting: "export TERM=xterm LC_ALL=C LANG=C"),
        OddTerminal(testDescription: "a pipe", redirection: "| cat; exit ${PIPESTATUS[0]}"),
        OddTerminal(
            testDescription: "a pipe with a Turkish locale",
            setting: "export LC_ALL=tr_TR.UTF-8 LANG=tr_TR.UTF-8 LANGUAGE=tr",
            redirection: "| cat; exit ${PIPESTATUS[0]}"
        ),
        OddTerminal(
            testDescription: "a pipe with an unknown locale",
            setting: "export LC_ALL=xx_YY.KOI8-R TZ=Nowhere/City",
            redirection: "| cat; exit ${PIPESTATUS[0]}"
        ),
        OddTerminal(testDescription: "a full disk", redirection: ">/dev/full", status: 1),
        OddTerminal(
            testDescription: "a full disk, for errors too",
            redirection: ">/dev/full 2>/dev/full",
            status: 1
        ),
        OddTerminal(testDescription: "a closed standard output", redirection: ">&-", status: 1),
        OddTerminal(
            testDescription: "a closed standard output and error",
            redirection: ">&- 2>&-",
            status: 1
        ),
        OddTerminal(testDescription: "no home folder", setting: "unset HOME XDG_STATE_HOME USER"),
    ]

    /// Returns the command line that runs the tool here, with its output in `file`.
    func command(_ arguments: String, to file: String) -> String {
        let line =
            "\(setting.isEmpty ? ":" : setting); timeout 60 '\(programPath("bluejay"))' \(arguments)"
        guard let size else {
            return "(\(line) \(redirection)) </dev/null >'\(file)' 2>&1"
        }
        let inner =
            "stty cols \(size.columns) rows \(size.rows); unset NO_COLOR COLUMNS LINES; \(line)"
            .replacing("'", with: "'\\''")
        return "SHELL=/bin/bash script -qec '\(inner)' /dev/null </dev/null >'\(file)' 2>&1"
    }
}
