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

    var text: String {
        let subcommands = (command.subcommands ?? []).filter {
            $0.shouldDisplay && $0.commandName != "help"
        }
        let name = command.commandName
        let head = [
            ".TH \(name.uppercased()) 1", ".SH NAME",
            Self.escaped("\(name) - \(command.abstract)"), ".SH SYNOPSIS",
            ".B \(name)", "\\fIsubcommand\\fR [\\fIoptions\\fR]", ".SH DESCRIPTION",
        ]
        let lines =
            head + Self.paragraphs(command.discussion) + [".SH SUBCOMMANDS"]
            + subcommands.flatMap(Self.section)
        return lines.joined(separator: "\n") + "\n"
    }

    private static func section(_ command: Command) -> [String] {
        let arguments = (command.arguments ?? []).filter {
            $0.shouldDisplay && !["version", "help"].contains($0.valueName)
        }
        return [".SS \(escaped(command.commandName))", escaped(command.abstract)]
            + paragraphs(command.discussion).reduce(into: []) { lines, line in
                if lines.isEmpty { lines.append(".PP") }
                lines.append(line)
            } + arguments.flatMap(entry)
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

    // A paragraph with indented lines is a list and keeps its line breaks.
    private static func paragraphs(_ text: String?) -> [String] {
        (text ?? "").split(separator: "\n\n").enumerated().flatMap { index, paragraph in
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
