import Bluejay

/// A scanned device with the times and the strength of its reports.
struct ScanEntry {
    /// The time in seconds after which a device without advertisements counts as silent.
    private static let freshness = 15.0

    private(set) var device: ScanRow
    private let order: Int
    private var updateTime: Double
    /// The time of the last report; `nil` for a connected device that has not advertised.
    private(set) var reportTime: Double?
    private(set) var reportCount = 0
    private(set) var signal: SignalStep?

    /// - Parameters:
    ///   - device: The device.
    ///   - order: The number of devices found before.
    ///   - time: The present time in seconds from any fixed origin.
    init(_ device: ScanRow, order: Int, at time: Double) {
        self.device = device
        self.order = order
        updateTime = time
    }

    /// Replaces the device; `isReport` is whether an advertisement is the reason.
    mutating func update(_ device: ScanRow, at time: Double, isReport: Bool) {
        self.device = device
        updateTime = time
        guard isReport else { return }
        reportTime = time
        reportCount += 1
        guard let rssi = device.rssi else { return }
        if signal == nil {
            signal = SignalStep(rssi)
        } else {
            signal?.add(rssi)
        }
    }

    /// Whether the device has advertised recently.
    func isFresh(at time: Double) -> Bool { time - updateTime < Self.freshness }

    /// The age of the last report in whole seconds.
    func age(at time: Double) -> Int? { reportTime.map { Int(max(0, time - $0)) } }

    /// The place in a list: connected devices come first and silent ones last.
    func rank(at time: Double) -> (group: Int, signal: Int, order: Int) {
        let group = device.discovery.isConnected ? 0 : isFresh(at: time) ? 1 : 2
        return (group, signal.map { -$0.number } ?? .max, order)
    }
}
