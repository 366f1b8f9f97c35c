internal import BluejayCore
internal import BluejayGLib
internal import FoundationEssentials
package import Logging

/// The log settings from the environment variables `BLUEJAY_LOG` and `BLUEJAY_LOG_VALUES`.
package struct LogSettings {
    /// The settings, read at the first use; an invalid value is reported once on standard error.
    static let fromEnvironment: LogSettings = {
        let settings = LogSettings(ProcessInfo.processInfo.environment)
        if let complaint = settings.invalidSettingMessage { StandardError.write(complaint) }
        return settings
    }()

    /// Whether traces show values in hexadecimal rather than their length.
    let showsValues: Bool
    /// The lowest level to log; nil leaves it to swift-log.
    let level: Logger.Level?
    /// The report of an invalid variable, or nil.
    let invalidSettingMessage: String?

    init(_ environment: [String: String]) {
        showsValues = environment["BLUEJAY_LOG_VALUES"] == "1"
        let text = environment["BLUEJAY_LOG"] ?? ""
        level = Logger.Level(rawValue: text.lowercased())
        let levels = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
        invalidSettingMessage =
            text.isEmpty || level != nil
            ? nil : "BLUEJAY_LOG=\(text.displayText) is not a log level; use one of \(levels)"
    }

    /// The logger of a label: the program's, or one for standard error if only the environment requests it.
    ///
    /// swift-log does not report whether `LoggingSystem.bootstrap` was called, but a program that has not
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

    /// Returns the handler that writes the lines of a label in a program without its own handler.
    ///
    /// A handler of a program passes on lines to it, so that `BLUEJAY_LOG` has its usual effect.
    package static func defaultHandler(_ label: String) -> any LogHandler {
        guard let level = fromEnvironment.level else {
            return StreamLogHandler.standardError(label: label)
        }
        var handler = StandardErrorHandler(label)
        handler.logLevel = level
        return handler
    }
}
