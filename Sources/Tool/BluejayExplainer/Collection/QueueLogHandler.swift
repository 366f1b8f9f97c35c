internal import BluejayBlueZ
internal import Logging

/// Passes on the steps of the library's queue, and writes the lines that the program logs anyway.
struct QueueLogHandler: LogHandler {
    private static let label = "bluejay.queue"

    private var base: any LogHandler
    private let receive: (@Sendable (TraceEvent.Fact) -> Void)?

    init(_ label: String, _ receive: @escaping @Sendable (TraceEvent.Fact) -> Void) {
        base = LogSettings.defaultHandler(label)
        self.receive = label == Self.label ? receive : nil
    }

    /// The level of the queue is always that of its steps; the level of the lines stays.
    var logLevel: Logger.Level {
        get { receive == nil ? base.logLevel : .trace }
        set { if receive == nil { base.logLevel = newValue } }
    }

    var metadata: Logger.Metadata {
        get { base.metadata }
        set { base.metadata = newValue }
    }

    var metadataProvider: Logger.MetadataProvider? {
        get { base.metadataProvider }
        set { base.metadataProvider = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { base[metadataKey: key] }
        set { base[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) {
        if let receive, let fact = Self.fact(of: event) { receive(fact) }
        if base.logLevel <= event.level { base.log(event: event) }
    }

    private static func fact(of event: LogEvent) -> TraceEvent.Fact? {
        func detail(_ key: String) -> String? { event.metadata?[key].map { "\($0)" } }
        guard let number = detail("operation") else { return nil }
        let operation = "\(detail("instance") ?? "")-\(number)"
        return switch "\(event.message)" {
        case "enqueued": .enqueued(operation: operation, name: detail("what") ?? "")
        case "started": .started(operation: operation)
        case "succeeded": .completed(operation: operation, error: nil)
        case "failed": .completed(operation: operation, error: detail("error") ?? "")
        default: nil
        }
    }
}
