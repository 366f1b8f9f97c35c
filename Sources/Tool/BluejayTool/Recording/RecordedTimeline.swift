import Bluejay
import BluejayCore
import BluejayDeviceFile

/// An event of one of the listens.
struct Report {
    enum Event {
        case installed
        case value([UInt8])
        case failure(any Error)
    }

    let number: Int
    let time: ContinuousClock.Instant
    let event: Event

    init(_ number: Int, _ time: ContinuousClock.Instant, _ event: Event) {
        self.number = number
        self.time = time
        self.event = event
    }
}

/// The values of several listens; each value's time counts from the start of its listen.
struct RecordedTimeline {
    enum Outcome {
        case goOn
        case failed(DeviceFile.Place, any Error)
        /// An active listen has ended, which means that the connection has ended.
        case lost(any Error)
    }

    /// The received values, in order of arrival.
    private(set) var notifications: [DeviceFile.Notification] = []
    private let places: [DeviceFile.Place]
    private var starts: [Int: ContinuousClock.Instant] = [:]
    private var refused: Set<Int> = []

    init(_ places: [DeviceFile.Place]) {
        self.places = places
    }

    /// Whether each listen has started or was refused.
    var isSettled: Bool { starts.count + refused.count == places.count }

    var isListening: Bool { !starts.isEmpty }

    mutating func take(_ report: Report) -> Outcome {
        switch report.event {
        case .installed: starts[report.number] = report.time
        case .value(let value):
            guard let start = starts[report.number] else { return .goOn }
            notifications.append(
                DeviceFile.Notification(
                    place: places[report.number],
                    milliseconds: Self.milliseconds(report.time - start),
                    value: value
                )
            )
        case .failure(let error):
            guard starts[report.number] == nil else { return .lost(error) }
            refused.insert(report.number)
            return .failed(places[report.number], error)
        }
        return .goOn
    }

    private static func milliseconds(_ time: Duration) -> Int {
        let (seconds, attoseconds) = time.components
        let rounded = (attoseconds + 500_000_000_000_000) / 1_000_000_000_000_000
        return max(0, min(DeviceFile.longestTime, Int(seconds) * 1000 + Int(rounded)))
    }
}
