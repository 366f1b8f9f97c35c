import Bluejay
import BluejayCommandLine

/// The table of scanned devices, redrawn repeatedly.
struct ScanTable {
    /// The time in seconds after which a device without advertisements counts as silent.
    private static let freshness = 15.0

    private static let table = TextTable([
        .init("NAME", minimum: 8, isNeeded: true),
        .init("ADDRESS", minimum: 17, isNeeded: true),
        .init("SIGNAL dBm", minimum: 9, isNeeded: true),
        .init("SERVICES", minimum: 12),
        .init("MAKER", minimum: 6),
    ])

    private var order: [PeripheralIdentifier] = []
    private var seen: [PeripheralIdentifier: (device: ScanRow, time: Double)] = [:]

    /// Adds or updates a device; `time` is in seconds from any fixed origin.
    mutating func update(_ device: ScanRow, at time: Double) {
        if seen.updateValue((device, time), forKey: device.identifier) == nil {
            order.append(device.identifier)
        }
    }

    /// Returns a header, one line for each device in the order of discovery, and the number of omitted
    /// devices.
    ///
    /// No line reaches the last column, and one row is left for the cursor. Without a device there is only a
    /// hint.
    func lines(at time: Double, columns: Int, rows: Int, on terminal: Terminal) -> [String] {
        let width = max(1, columns - 1)
        let all = order.compactMap { seen[$0] }
        guard !all.isEmpty else {
            return ["looking for devices; Ctrl-C ends it".truncated(to: width)]
        }
        let room = max(1, rows - 2)
        let visible = all.count <= room ? all[...] : all.prefix(max(1, room - 1))
        let isFresh = visible.map { time - $0.time < Self.freshness }
        let cells = zip(visible, isFresh).map { Self.cells($0.device, isFresh: $1) }
        var lines = Self.table.lines(cells, width: width)
        lines[0] = terminal.styled(lines[0], .bold)
        for (index, entry) in visible.enumerated() {
            if entry.device.discovery.isConnected {
                lines[index + 1] = terminal.styled(lines[index + 1], .green)
            } else if !isFresh[index] {
                lines[index + 1] = terminal.styled(lines[index + 1], .dim)
            }
        }
        let rest = all.count - visible.count
        return rest > 0 ? lines + ["… and \(rest) more".truncated(to: width)] : lines
    }

    private static func cells(_ device: ScanRow, isFresh: Bool) -> [String] {
        let signal =
            device.discovery.isConnected
            ? "connected" : isFresh ? Self.signal(device.rssi) : "silent"
        return [
            device.name, device.address, signal, device.services.joined(separator: ", "),
            device.companies.map { $0.name ?? "0x\($0.number)" }.joined(separator: ", "),
        ]
    }

    /// Formats a signal strength as bars and as a number in dBm.
    static func signal(_ rssi: Int?) -> String {
        guard let rssi else { return "" }
        let bars = [-90, -78, -67, -55].count { rssi >= $0 }
        let text = String("▂▄▆█".prefix(bars)) + String(repeating: " ", count: 4 - bars)
        return "\(text) \(rssi)"
    }
}
