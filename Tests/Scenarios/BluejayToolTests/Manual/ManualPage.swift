import Foundation

/// The tool's manual for `man`, built from the output of `--experimental-dump-help`.
struct ManualPage: Decodable {
    struct Command: Decodable {
        let commandName: String
        let abstract: String
        let discussion: String?
        let arguments: [Argument]?
        let subcommands: [Command]?
        let shouldDisplay: Bool
    }

    struct Argument: Decodable {
        struct Name: Decodable {
            let kind: String
            let name: String
        }

        let kind: String
        let names: [Name]?
        let valueName: String
        let abstract: String?
        let allValues: [String]?
        let defaultValue: String?
        let shouldDisplay: Bool
    }

    private let command: Command

    /// Returns the page with the sections ENVIRONMENT, FILES and SEE ALSO of the stored page, which the help
    /// does not have.
    func text(keeping written: ManualSource) -> String {
        let subcommands = (command.subcommands ?? []).filter {
            $0.shouldDisplay && $0.commandName != "help"
        }
        let name = command.commandName
        let summary = command.abstract.trimmingCharacters(in: ["."])
        let head = [
            ManualSource.head(of: name), ".SH NAME", Self.escaped("\(name) - \(summary)"),
            ".SH SYNOPSIS",
            ".B \(name)", "\\fIsubcommand\\fR [\\fIoptions\\fR]", ".br",
            ".B \(name)", "[\\fIoptions\\fR]", ".SH DESCRIPTION",
        ]
        let discussion = Self.parts(of: command.discussion)
        let status = discussion.filter { $0.hasPrefix(Self.statusTitle) }
        let lines =
            head + Self.paragraphs(discussion.filter { !status.contains($0) })
            + [".SH OPTIONS"] + (command.arguments ?? []).flatMap(Self.entry) + Self.completion
            + [".SH SUBCOMMANDS"] + subcommands.flatMap(Self.section)
            + [".SH EXIT STATUS"] + status.flatMap(Self.statuses)
            + written.section("ENVIRONMENT") + written.section("FILES")
            + [".SH EXAMPLES"] + subcommands.flatMap(Self.examples).dropFirst()
            + written.section("SEE ALSO")
        return lines.joined(separator: "\n") + "\n"
    }

    private static let statusTitle = "EXIT STATUS\n"
    private static let exampleTitle = "EXAMPLE: "

    /// The option of swift-argument-parser that no list of arguments contains.
    private static let completion = [
        ".TP", "\\fB\\-\\-generate\\-completion\\-script\\fR \\fIshell\\fR",
        "Print the completion script of a shell: bash, zsh or fish.",
    ]

    private static func section(_ command: Command) -> [String] {
        let arguments = (command.arguments ?? []).filter {
            $0.shouldDisplay && !["version", "help"].contains($0.valueName)
        }
        let text = parts(of: command.discussion).filter { !$0.hasPrefix(exampleTitle) }
        return [".SS \(escaped(command.commandName))", escaped(command.abstract)]
            + (text.isEmpty ? [] : [".PP"] + paragraphs(text)) + arguments.flatMap(entry)
    }

    private static func examples(_ command: Command) -> [String] {
        parts(of: command.discussion).filter { $0.hasPrefix(exampleTitle) }.flatMap { part in
            let lines = part.dropFirst(exampleTitle.count).split(separator: "\n")
            return [".PP", escaped(command.abstract), ".PP", ".RS 4", ".nf"]
                + lines.map { escaped($0.trimmingCharacters(in: .whitespaces)) } + [".fi", ".RE"]
        }
    }

    /// The entries of the list of exit statuses: a number, spaces and the meaning.
    private static func statuses(_ part: String) -> [String] {
        part.split(separator: "\n").dropFirst().flatMap { line in
            let words = line.split(separator: " ", maxSplits: 1).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            return [".TP", "\\fB\(words[0])\\fR", escaped(words.last ?? "")]
        }
    }

    private static func entry(_ argument: Argument) -> [String] {
        let value = "\\fI\(escaped(argument.valueName))\\fR"
        let names = (argument.names ?? []).map { name in
            "\\fB\(escaped((name.kind == "short" ? "-" : "--") + name.name))\\fR"
        }.joined(separator: ", ")
        let title =
            switch argument.kind {
            case "positional": value
            case "option": "\(names) \(value)"
            default: names
            }
        var words = argument.abstract ?? ""
        if let values = argument.allValues {
            words += " One of " + values.joined(separator: ", ") + "."
        }
        if let value = argument.defaultValue { words += " Default: \(value)." }
        return [".TP", title, escaped(words)]
    }

    private static func parts(of text: String?) -> [String] {
        (text ?? "").components(separatedBy: "\n\n").filter { !$0.isEmpty }
    }

    // A paragraph with indented lines is a list and keeps its line breaks.
    private static func paragraphs(_ parts: [String]) -> [String] {
        parts.enumerated().flatMap { index, paragraph in
            let lines = paragraph.split(separator: "\n").map { escaped(String($0)) }
            let isList = lines.contains { $0.hasPrefix("  ") }
            let shown = isList ? [".nf"] + lines + [".fi"] : lines
            return index == 0 ? shown : [".PP"] + shown
        }
    }

    private static func escaped(_ text: String) -> String {
        let text = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
        return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" + text : text
    }
}
