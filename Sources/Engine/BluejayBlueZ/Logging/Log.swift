internal import BluejayCore
internal import Logging

/// The names and values that accompany the text of a line; empty values are omitted.
package typealias LogDetails = KeyValuePairs<String, String>

/// A logger for one label, which writes to swift-log and, from debug level on, to the log observers.
///
/// The text is static; variable parts are metadata. Every value is escaped, so that received data cannot
/// forge a line or control a terminal. Attribute values are never logged; see `LogSettings.showsValues`.
package struct Log {
    private let logger: Logger
    private let component: String
    private let constants: [(key: String, value: String)]
    private weak var sink: (any LogSink)?

    /// Whether trace lines are logged; frequent operations check this first.
    package let isTracing: Bool

    /// - Parameters:
    ///   - label: The label of swift-log, such as `bluejay.queue`.
    ///   - sink: Receives lines of debug level and above as text; held weakly.
    ///   - constants: Details at the end of every line.
    package init(_ label: String, to sink: (any LogSink)?, _ constants: LogDetails = [:]) {
        logger = LogSettings.fromEnvironment.logger(label)
        component = label.split(separator: ".").last.map(String.init) ?? label
        self.constants = constants.map { ($0.key, $0.value) }
        self.sink = sink
        isTracing = logger.logLevel <= .trace
    }

    /// Logs a single step; log observers do not receive it.
    package func trace(
        _ text: StaticString,
        _ details: @autoclosure () -> LogDetails = [:],
        file: String = #fileID,
        function: String = #function,
        line: UInt = #line
    ) {
        guard isTracing else { return }
        write(.trace, text, details, CallSite(file, function, line))
    }

    /// Logs an event that the program requested or is notified of.
    package func debug(
        _ text: StaticString,
        _ details: @autoclosure () -> LogDetails = [:],
        file: String = #fileID,
        function: String = #function,
        line: UInt = #line
    ) {
        write(.debug, text, details, CallSite(file, function, line))
    }

    /// Logs a problem that is reported nowhere else and that the owner should see.
    package func warning(
        _ text: StaticString,
        _ details: @autoclosure () -> LogDetails = [:],
        file: String = #fileID,
        function: String = #function,
        line: UInt = #line
    ) {
        write(.warning, text, details, CallSite(file, function, line))
    }

    /// Returns a completion that logs the error of a call, for a caller that passes no completion.
    package func failureLog<Value, Failure: Error>(
        of call: String = #function
    ) -> (Result<Value, Failure>) -> Void {
        { [self] result in
            guard case .failure(let error) = result else { return }
            warning("call failed", ["call": call, "error": "\(error)"])
        }
    }

    private struct CallSite {
        let file: String
        let function: String
        let line: UInt

        init(_ file: String, _ function: String, _ line: UInt) {
            self.file = file
            self.function = function
            self.line = line
        }
    }

    private func write(
        _ level: Logger.Level,
        _ text: StaticString,
        _ details: () -> LogDetails,
        _ site: CallSite
    ) {
        let isLogged = logger.logLevel <= level
        let receiver = level == .trace ? nil : sink.flatMap { $0.hasSubscribers ? $0 : nil }
        guard isLogged || receiver != nil else { return }
        let shown =
            details().filter { !$0.value.isEmpty }.map { ($0.key, $0.value.displayText) }
            + constants
        if isLogged {
            logger.log(
                level: level,
                "\(text)",
                metadata: Dictionary(
                    shown.map { ($0.0, Logger.MetadataValue.string($0.1)) },
                    uniquingKeysWith: { first, _ in first }
                ),
                file: site.file,
                function: site.function,
                line: site.line
            )
        }
        receiver?.write(LogLineFormatter.joined("\(component): \(text)", shown))
    }
}
