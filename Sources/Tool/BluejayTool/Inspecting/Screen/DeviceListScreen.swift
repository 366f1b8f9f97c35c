import Bluejay
import BluejayCommandLine
import BluejayCurses

/// The devices in range, on a screen.
struct DeviceListScreen {
    typealias Line = TerminalScreen.Line

    private static let address = "ADDRESS"
    private static let table = TextTable([
        .init("NAME", minimum: 17, isNeeded: true, isCutLast: true),
        .init(address, minimum: 17),
        .init("dBm", minimum: 6, isNeeded: true),
        .init("TREND", minimum: 15, isNeeded: true),
        .init("AGE s", minimum: 5),
    ])

    private let state: InspectorState
    private let time: Double

    init(_ state: InspectorState, at time: Double) {
        self.state = state
        self.time = time
    }

    /// Returns the header and as many devices as fit, with the selected one.
    func page(width: Int, rows: Int) -> InspectorScreen.Page {
        let matches = state.devices.matches(at: time)
        let count = matches.count == 1 ? "1 device" : "\(matches.count) devices"
        let filter = state.devices.filter
        let title = filter.isEmpty ? count : "\(count) with \"\(filter.printable)\""
        return InspectorScreen.Page(
            title: title,
            status: state.unavailability == nil ? "scanning" : "no Bluetooth",
            body: matches.isEmpty ? [] : lines(matches, width: width, rows: rows)
        )
    }

    private func lines(_ matches: [DeviceList.Entry], width: Int, rows: Int) -> [Line] {
        let selected = state.devices.selectedIndex(among: matches)
        let window = ListSelection.window(around: selected, of: matches.count, rows: rows - 1)
        let shown = matches[window]
        // The marker of the selection precedes each row.
        let width = width - 2
        let trend = width < 60 ? 7 : 15
        var texts = shown.map { cells($0, trend: trend) }
        if !Self.table.shows(Self.address, of: texts, width: width) {
            for (index, entry) in shown.enumerated() where entry.scan.device.isNameless {
                texts[index][0] = entry.scan.device.address
            }
        }
        let lines = Self.table.lines(texts, width: width)
        let header = Line("  " + (lines.first ?? ""), .dim)
        return [header]
            + zip(lines.dropFirst(), zip(window, shown)).map { line, place in
                let isSelected = place.0 == selected
                let text = (isSelected ? "> " : "  ") + line
                return Line(
                    isSelected ? text.fitted(to: width + 2) : text,
                    style(place.1).union(isSelected ? .reversed : [])
                )
            }
    }

    private func style(_ entry: DeviceList.Entry) -> TerminalScreen.Style {
        if entry.scan.device.discovery.isConnected { return .green }
        return entry.scan.isFresh(at: time) ? [] : .dim
    }

    private func cells(_ entry: DeviceList.Entry, trend: Int) -> [String] {
        let device = entry.scan.device
        let strength =
            device.discovery.isConnected
            ? "linked"
            : entry.scan.isFresh(at: time) ? device.rssi.map(String.init) ?? "" : "silent"
        return [
            device.name, device.address, strength,
            entry.history.line(at: time, width: trend),
            entry.scan.age(at: time).map(String.init) ?? "",
        ]
    }
}
