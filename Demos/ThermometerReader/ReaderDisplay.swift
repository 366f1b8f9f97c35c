import BluejayCommandLine
import Foundation

/// An event in the output of a reader.
enum ReaderEvent: Equatable {
    case searching
    case found(UUID)
    /// The thermometer of an earlier run.
    case known(UUID)
    case temperature(Double)
    case calibrated(Double)
    case update(Double)
    /// The updates have ended with the link.
    case interrupted
}

/// The output of a reader: lines of text or JSON, and on a terminal one live line for the updates.
@MainActor
final class ReaderDisplay {
    private let isJSON: Bool
    private let output: Output
    private let terminal = Terminal()
    private let encoder = JSONLines()
    private var isLive = false

    init(isJSON: Bool, _ output: Output) {
        self.isJSON = isJSON
        self.output = output
    }

    func show(_ event: ReaderEvent) {
        if isJSON { return output.writeLine((try? encoder.line(event.object)) ?? "") }
        guard case .update = event, terminal.isInteractive else {
            isLive = false
            return output.writeLine(event.text)
        }
        output.write((isLive ? terminal.erased(1) : "") + terminal.styled(event.text, .bold) + "\n")
        isLive = true
    }
}

extension ReaderEvent {
    /// A line for people.
    var text: String {
        switch self {
        case .searching: "searching for a thermometer"
        case .found(let id): "found \(id)"
        case .known(let id): "connecting to \(id)"
        case .temperature(let value): String(format: "read %.2f °C", value)
        case .calibrated(let offset): String(format: "calibrated by %+.2f °C", offset)
        case .update(let value): String(format: "now %.2f °C", value)
        case .interrupted: "the link was lost"
        }
    }

    /// An object for programs.
    var object: Line {
        switch self {
        case .searching: Line(event: "searching")
        case .found(let id): Line(event: "found", id: id)
        case .known(let id): Line(event: "known", id: id)
        case .temperature(let value): Line(event: "temperature", value: value)
        case .calibrated(let offset): Line(event: "calibrated", value: offset)
        case .update(let value): Line(event: "update", value: value)
        case .interrupted: Line(event: "interrupted")
        }
    }

    struct Line: Encodable, Equatable {
        var event: String
        var id: UUID?
        var value: Double?
    }
}
