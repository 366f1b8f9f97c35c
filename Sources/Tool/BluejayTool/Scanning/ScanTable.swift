import Bluejay
import BluejayCommandLine

/// The table of scanned devices, redrawn repeatedly.
struct ScanTable {
    /// The columns of the longest name in an advertisement of 31 bytes; a longer name may be cut before
    /// another column is removed.
    private static let longestAdvertisedName = 29

    private static let address = "ADDRESS"
    private static let table = TextTable([
        .init("NAME", minimum: longestAdvertisedName, isNeeded: true, isCutLast: true),
        .init(address, minimum: 17),
        .init("SIGNAL dBm", minimum: 10, isNeeded: true),
        .init("AGE s", minimum: 5),
        .init("COUNT", minimum: 5),
        .init("SERVICES", minimum: 12),
        .init("MAKER", minimum: 6),
    ])

    private var entries: [PeripheralIdentifier: ScanEntry] = [:]

    var isEmpty: Bool { entries.isEmpty }

    /// Adds or updates a device; `time` is in seconds from any fixed origin.
    ///
    /// - Parameters:
    ///   - device: The device.
    ///   - time: The time of the update.
    ///   - isReport: Whether an advertisement is the reason.
    mutating func update(_ device: ScanRow, at time: Double, isReport: Bool = true) {
        var entry =
            entries[device.identifier]
            ?? ScanEntry(device, order: entries.count, at: time)
        entry.update(device, at: time, isReport: isReport)
        entries[device.identifier] = entry
    }

    /// Returns a header, one line for each device, the strongest first, and the number of omitted devices.
    ///
    /// No line reaches the last column, and one row is left for the cursor. Without a device there is only a
    /// hint.
    ///
    /// - Parameters:
    ///   - time: The current time.
    ///   - columns: The width of the terminal.
    ///   - rows: The height of the terminal; `nil` shows all devices.
    ///   - terminal: The source of the styles.
    /// - Returns: The lines, or one line with a hint.
    func lines(at time: Double, columns: Int, rows: Int?, on terminal: Terminal) -> [String] {
        let width = max(1, columns - 1)
        let all = entries.values.sorted { $0.rank(at: time) < $1.rank(at: time) }
        guard !all.isEmpty else {
            return ["looking for devices; Ctrl-C ends it".truncated(to: width)]
        }
        let room = rows.map { max(1, $0 - 2) } ?? all.count
        let visible = all.count <= room ? all[...] : all.prefix(max(1, room - 1))
        var cells = visible.map { Self.cells($0, at: time) }
        if !Self.table.shows(Self.address, of: cells, width: width) {
            for (index, entry) in visible.enumerated() where entry.device.isNameless {
                cells[index][0] = entry.device.address
            }
        }
        var lines = Self.table.lines(cells, width: width)
        lines[0] = terminal.styled(lines[0], .bold)
        for (index, entry) in visible.enumerated() {
            if entry.device.discovery.isConnected {
                lines[index + 1] = terminal.styled(lines[index + 1], .green)
            } else if !entry.isFresh(at: time) {
                lines[index + 1] = terminal.styled(lines[index + 1], .dim)
            }
        }
        let rest = all.count - visible.count
        return rest > 0 ? lines + ["… and \(rest) more".truncated(to: width)] : lines
    }

    private static func cells(_ entry: ScanEntry, at time: Double) -> [String] {
        let device = entry.device
        let signal =
            device.discovery.isConnected
            ? "connected" : entry.isFresh(at: time) ? Self.signal(device.rssi) : "silent"
        return [
            device.name, device.address, signal,
            entry.age(at: time).map(String.init) ?? "",
            entry.reportCount > 0 ? "\(entry.reportCount)" : "",
            device.services.joined(separator: ", "),
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
