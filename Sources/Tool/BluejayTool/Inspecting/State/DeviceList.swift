import Bluejay
import BluejayCurses

/// The devices in range, with a filter and a selection.
struct DeviceList {
    struct Entry {
        var scan: ScanEntry
        var history = SignalHistory()
    }

    private var entries: [PeripheralIdentifier: Entry] = [:]
    /// The selected device; `nil` is the first one.
    private var selected: PeripheralIdentifier?
    /// A part of the name or of the address, in any case.
    var filter = ""

    /// The number of all devices.
    var count: Int { entries.count }

    /// Adds or updates a device; `isReport` is whether an advertisement is the reason.
    mutating func update(_ device: ScanRow, at time: Double, isReport: Bool) {
        let scan = ScanEntry(device, order: entries.count, at: time)
        var entry = entries[device.identifier] ?? Entry(scan: scan)
        entry.scan.update(device, at: time, isReport: isReport)
        if isReport, let rssi = device.rssi { entry.history.add(rssi, at: time) }
        entries[device.identifier] = entry
    }

    /// Returns the devices that match the filter, the strongest first.
    func matches(at time: Double) -> [Entry] {
        let text = filter.lowercased()
        return entries.values
            .filter { entry in
                let device = entry.scan.device
                return text.isEmpty || device.name.lowercased().contains(text)
                    || device.address.lowercased().contains(text)
            }
            .sorted { $0.scan.rank(at: time) < $1.scan.rank(at: time) }
    }

    /// Returns the index of the selected device among the matches; 0 if it is not among them.
    func selectedIndex(among matches: [Entry]) -> Int {
        matches.firstIndex { $0.scan.device.identifier == selected } ?? 0
    }

    /// Returns the selected device, or `nil` if no device matches the filter.
    func selection(at time: Double) -> ScanRow? {
        let matches = matches(at: time)
        guard !matches.isEmpty else { return nil }
        return matches[selectedIndex(among: matches)].scan.device
    }

    /// Returns the last report of a device.
    func device(_ identifier: PeripheralIdentifier) -> ScanRow? {
        entries[identifier]?.scan.device
    }

    /// Moves the selection.
    mutating func move(_ key: TerminalKey, at time: Double) {
        let matches = matches(at: time)
        let index = selectedIndex(among: matches)
        guard let moved = ListSelection.index(after: key, from: index, of: matches.count),
            matches.indices.contains(moved)
        else { return }
        selected = matches[moved].scan.device.identifier
    }

    /// Selects a device, so that a changed order does not change the selection.
    mutating func select(_ identifier: PeripheralIdentifier) { selected = identifier }
}
