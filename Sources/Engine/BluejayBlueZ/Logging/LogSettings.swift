internal import BluejayCore
internal import BluejayGLib
internal import FoundationEssentials
internal import Logging

/// What the environment says of the log: `BLUEJAY_LOG` and `BLUEJAY_LOG_VALUES`.
package struct LogSettings {
    /// Read once, when something is logged first; what it cannot make out it says once.
    static let ofEnvironment: LogSettings = {
        let settings = LogSettings(ProcessInfo.processInfo.environment)
        if let complaint = settings.complaint { StandardError.write(complaint) }
        return settings
    }()

    /// Whether traces show the bytes of values, in hexadecimal; otherwise they say how many.
    let showsValues: Bool
    /// From which level on lines are wanted; nil leaves that to swift-log.
    let level: Logger.Level?
    /// What is wrong with a variable.
    let complaint: String?

    init(_ environment: [String: String]) {
        showsValues = environment["BLUEJAY_LOG_VALUES"] == "1"
        let text = environment["BLUEJAY_LOG"] ?? ""
        level = Logger.Level(rawValue: text.lowercased())
        let levels = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
        complaint =
            text.isEmpty || level != nil
            ? nil : "BLUEJAY_LOG=\(text.displayText) is no level; there are \(levels)"
    }

    /// The logger of a label: the program's, unless it has none and the environment asks for lines.
    ///
    /// swift-log does not say whether `LoggingSystem.bootstrap` was called, but a program that has not
    /// called it gets a `StreamLogHandler`.
    func logger(_ label: String) -> Logger {
        var logger = Logger(label: label)
        guard let level else { return logger }
        if logger.handler is StreamLogHandler {
            logger = Logger(label: label) { StandardErrorHandler($0) }
        }
        logger.logLevel = level
        return logger
    }
}
