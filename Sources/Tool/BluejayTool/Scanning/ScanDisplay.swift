import Bluejay
import BluejayCommandLine
import Dispatch

/// The table of a scan on the terminal, redrawn by a timer.
@MainActor
final class ScanDisplay {
    /// The pause between two drawings in seconds; a busy place reports more often.
    private static let interval = 0.25

    private let console: Console
    private var table = ScanTable()
    private let startTime = ContinuousClock.now
    private let timer = DispatchSource.makeTimerSource(queue: .main)
    private var drawn: [String] = []

    init(_ console: Console) {
        self.console = console
        timer.setEventHandler { MainActor.assumeIsolated { [weak self] in self?.draw() } }
        timer.schedule(deadline: .now() + Self.interval, repeating: Self.interval)
        timer.resume()
        draw()
    }

    /// Whether no device was found.
    var isEmpty: Bool { table.isEmpty }

    /// Adds or updates a device.
    ///
    /// - Parameters:
    ///   - device: The device.
    ///   - isReport: Whether an advertisement is the reason.
    func update(_ device: ScanRow, isReport: Bool) {
        table.update(device, at: time, isReport: isReport)
    }

    /// Draws all devices, also those that do not fit the screen, and ends the updates.
    func finish() {
        timer.cancel()
        console.draw(isEmpty ? [] : lines(rows: nil))
    }

    private var time: Double { (ContinuousClock.now - startTime) / .seconds(1) }

    private func draw() {
        let lines = lines(rows: console.terminal.size.rows)
        guard lines != drawn else { return }
        console.draw(lines)
        drawn = lines
    }

    private func lines(rows: Int?) -> [String] {
        let columns = console.terminal.size.columns
        return table.lines(at: time, columns: columns, rows: rows, on: console.terminal)
    }
}
