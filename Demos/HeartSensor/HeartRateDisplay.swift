import Bluejay
import DemoSupport
import Foundation

/// Where the demo shows what it measures.
protocol HeartRateDisplay: AnyObject {
    /// Shows one measurement.
    func show(_ reading: HeartRateReading, from peripheral: PeripheralIdentifier?)
    /// Says what is going on.
    func status(_ text: String)
    /// Leaves the terminal as it was.
    func finish()
}

/// The display that fits where the output goes: objects, a chart on a terminal, or plain lines.
func heartRateDisplay(json: Bool) -> any HeartRateDisplay {
    if json { return JSONDisplay() }
    let terminal = Terminal()
    return terminal.isInteractive ? ChartDisplay(terminal) : LineDisplay()
}

/// One JSON object a line on standard output; what is going on goes to standard error.
private final class JSONDisplay: HeartRateDisplay {
    private struct Line: Encodable {
        var heartRate: Int
        var peripheral: String?
        var address: String?
        var sensorContact: Bool?
        var rrIntervals: [Double]
        var time: String
    }

    private let lines = JSONLines()
    private let clock = ISO8601DateFormatter()

    func show(_ reading: HeartRateReading, from peripheral: PeripheralIdentifier?) {
        let line = Line(
            heartRate: Int(reading.beatsPerMinute),
            peripheral: peripheral?.name,
            address: peripheral?.address,
            sensorContact: reading.sensorContact == .notSupported
                ? nil : reading.sensorContact == .detected,
            rrIntervals: reading.rrIntervalsIn1024ths.map { Double($0) / 1024 },
            time: clock.string(from: Date())
        )
        if let text = try? lines.line(line) { write(text, to: .standardOutput) }
    }

    func status(_ text: String) {
        write(text, to: .standardError)
    }

    func finish() {}
}

/// Plain lines, for a log or a pipe.
private final class LineDisplay: HeartRateDisplay {
    func show(_ reading: HeartRateReading, from peripheral: PeripheralIdentifier?) {
        write("heart rate \(reading.beatsPerMinute)", to: .standardOutput)
    }

    func status(_ text: String) {
        write(text.printable, to: .standardError)
    }

    func finish() {}
}

/// A live chart that is drawn over itself.
private final class ChartDisplay: HeartRateDisplay {
    private let terminal: Terminal
    private var screen: ChartScreen
    private var chart = HeartRateChart(capacity: ChartScreen.capacity)
    private var state = ""
    private var drawn = 0
    private var last: HeartRateReading?

    init(_ terminal: Terminal) {
        self.terminal = terminal
        screen = terminal.screen
    }

    func show(_ reading: HeartRateReading, from peripheral: PeripheralIdentifier?) {
        last = reading
        chart.append(Int(reading.beatsPerMinute))
        draw()
    }

    func status(_ text: String) {
        state = text.printable
        draw()
    }

    func finish() {
        write("", to: .standardOutput)
    }

    private func draw() {
        let rate = last.map { "\($0.beatsPerMinute) beats a minute" } ?? "no heart rate yet"
        let present = terminal.screen
        // What was drawn before has been wrapped anew by the terminal.
        let isResized = present != screen
        screen = present
        var lines = screen.lines(head: "♥ " + rate, state: state, chart)
        for (index, style) in [Terminal.Style.bold, .dim].enumerated() where index < lines.count {
            lines[index] = terminal.styled(lines[index], style)
        }
        let text =
            (isResized ? terminal.cleared : "")
            + terminal.redraw(lines, over: isResized ? 0 : drawn)
        FileHandle.standardOutput.write(Data(text.utf8))
        drawn = lines.count
    }
}

private func write(_ text: String, to handle: FileHandle) {
    handle.write(Data((text + "\n").utf8))
}
