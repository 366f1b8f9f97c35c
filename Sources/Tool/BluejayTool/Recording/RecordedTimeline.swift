import Bluejay
import BluejayCore
import BluejayDeviceFile

/// An event of one of the listens.
struct RecordedEvent {
    enum Event {
        case installed
        case value([UInt8])
        case failure(any Error)
    }

    let placeIndex: Int
    let time: ContinuousClock.Instant
    let event: Event

    init(_ number: Int, _ time: ContinuousClock.Instant, _ event: Event) {
        self.placeIndex = number
        self.time = time
        self.event = event
    }
}

/// The values of several listens; each value's time counts from the start of its listen.
struct RecordedTimeline {
    enum Outcome {
        case recorded
        case failed(DeviceFile.CharacteristicIndex, any Error)
        /// An active listen has ended, which means that the connection has ended.
        case lost(any Error)
    }

    /// The received values, in order of arrival.
    private(set) var notifications: [DeviceFile.Notification] = []
    private let places: [DeviceFile.CharacteristicIndex]
    private var starts: [Int: ContinuousClock.Instant] = [:]
    private var failed: Set<Int> = []

    init(_ places: [DeviceFile.CharacteristicIndex]) {
        self.places = places
    }

    /// Whether each listen has started or was refused.
    var isSettled: Bool { starts.count + failed.count == places.count }

    var isListening: Bool { !starts.isEmpty }

    mutating func record(_ report: RecordedEvent) -> Outcome {
        switch report.event {
        case .installed: starts[report.placeIndex] = report.time
        case .value(let value):
            guard let start = starts[report.placeIndex] else { return .recorded }
            notifications.append(
                DeviceFile.Notification(
                    index: places[report.placeIndex],
                    milliseconds: Self.milliseconds(report.time - start),
                    value: value
                )
            )
        case .failure(let error):
            guard starts[report.placeIndex] == nil else { return .lost(error) }
            failed.insert(report.placeIndex)
            return .failed(places[report.placeIndex], error)
        }
        return .recorded
    }

    private static func milliseconds(_ time: Duration) -> Int {
        let (seconds, attoseconds) = time.components
        let rounded = (attoseconds + 500_000_000_000_000) / 1_000_000_000_000_000
        return max(0, min(DeviceFile.maximumTime, Int(seconds) * 1000 + Int(rounded)))
    }
}
