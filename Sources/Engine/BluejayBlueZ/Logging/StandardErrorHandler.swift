internal import BluejayCore
internal import BluejayGLib
internal import FoundationEssentials
internal import Glibc
internal import Logging

/// Writes log lines to standard error if `BLUEJAY_LOG` is set.
///
/// `2026-11-22T13:14:24.123Z debug bluejay.connection: connected peripheral="Gadget (C0:…:01)"`
struct StandardErrorHandler: LogHandler {
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    private let label: String

    /// Whether lines are coloured: on a terminal, unless https://no-color.org applies.
    private static let isColored: Bool = {
        let environment = ProcessInfo.processInfo.environment
        return isatty(STDERR_FILENO) == 1 && environment["TERM"] != "dumb"
            && environment["NO_COLOR"]?.isEmpty != false
    }()

    init(_ label: String) {
        self.label = label
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        let details = LogLineFormatter.sorted(all.mapValues { "\($0)" })
        StandardError.write(
            Self.line(
                at: Date(),
                event.level.rawValue,
                LogLineFormatter.joined("\(label): \(event.message)", details),
                isColored: Self.isColored
            )
        )
    }

    /// A line without its line break.
    static func line(at time: Date, _ level: String, _ text: String, isColored: Bool) -> String {
        let time = time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        guard isColored else { return "\(time) \(level) \(text)" }
        let colour =
            ["trace": 2, "debug": 36, "info": 32, "notice": 32, "warning": 33][level] ?? 31
        return "\u{1B}[2m\(time)\u{1B}[0m \u{1B}[\(colour)m\(level)\u{1B}[0m \(text)"
    }
}
