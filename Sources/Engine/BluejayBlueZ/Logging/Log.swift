internal import BluejayCore
internal import Logging

/// What goes with the text of a line: names and values; an empty value is left out.
package typealias LogDetails = KeyValuePairs<String, String>

/// One label of the log: lines go to swift-log, and those of debug and above to the log observers.
///
/// The text is static, and what varies stands beside it, as metadata. Every value is escaped here, so
/// that nothing from the air forges a line or paints over a terminal. Values of attributes are never
/// given; see `LogSettings.showsValues`.
package struct Log {
    private let logger: Logger
    private let component: String
    private let constants: [(key: String, value: String)]
    private weak var audience: (any LogSink)?

    /// Whether lines of trace are wanted, as it was when this was made: what is on the path of every
    /// operation or message asks this first.
    package let isTracing: Bool

    /// - Parameters:
    ///   - label: As swift-log has it, `bluejay.queue`.
    ///   - audience: Who hears lines of debug and above as text; held weakly.
    ///   - constants: Details of every line, at its end.
    package init(_ label: String, to audience: (any LogSink)?, _ constants: LogDetails = [:]) {
        logger = LogSettings.ofEnvironment.logger(label)
        component = label.split(separator: ".").last.map(String.init) ?? label
        self.constants = constants.map { ($0.key, $0.value) }
        self.audience = audience
        isTracing = logger.logLevel <= .trace
    }

    /// Each step; not for log observers.
    package func trace(
        _ text: StaticString,
        _ details: @autoclosure () -> LogDetails = [:],
        file: String = #fileID,
        function: String = #function,
        line: UInt = #line
    ) {
        guard isTracing else { return }
        write(.trace, text, details, Place(file, function, line))
    }

    /// What happens; the program is told of it too, or asked for it.
    package func debug(
        _ text: StaticString,
        _ details: @autoclosure () -> LogDetails = [:],
        file: String = #fileID,
        function: String = #function,
        line: UInt = #line
    ) {
        write(.debug, text, details, Place(file, function, line))
    }

    /// What nobody else is told and its owner should see.
    package func warning(
        _ text: StaticString,
        _ details: @autoclosure () -> LogDetails = [:],
        file: String = #fileID,
        function: String = #function,
        line: UInt = #line
    ) {
        write(.warning, text, details, Place(file, function, line))
    }

    private struct Place {
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
        _ place: Place
    ) {
        let isLogged = logger.logLevel <= level
        let listening = level == .trace ? nil : audience.flatMap { $0.isListening ? $0 : nil }
        guard isLogged || listening != nil else { return }
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
                file: place.file,
                function: place.function,
                line: place.line
            )
        }
        listening?.hear(LogLineFormatter.joined("\(component): \(text)", shown))
    }
}
