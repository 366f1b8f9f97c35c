internal import BluejayCore
internal import BluejayGLib
internal import FoundationEssentials

struct RequestOrigin {
    var central: PeripheralIdentifier?
    var offset: Int
    var mtu: Int?
}

/// A request of a central, for the queue of an asynchronous handler.
protocol CentralRequest: Swift.Sendable {
    var isOver: Bool { get }
    var context: MainContext { get }
    func rejectOverflow()
}

/// The time limit for the program's answers.
enum ResponseTimeout {
    /// bluetoothd crashes if the link of an unanswered request ends, so that requests must be short.
    static let initial = Duration.milliseconds(900)
    /// Shorter than bluetoothd's five seconds.
    private static let maximum = Duration.milliseconds(4_500)

    static func bounded(_ timeout: Duration) -> Duration { min(max(timeout, .zero), maximum) }
}
