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
    private static let width = 72
    private static let height = 12

    private let terminal: Terminal
    private var chart = HeartRateChart(capacity: width)
    private var state = ""
    private var drawn = 0
    private var last: HeartRateReading?

    init(_ terminal: Terminal) {
        self.terminal = terminal
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
        let lines =
            [terminal.styled("♥ " + rate, .bold), terminal.styled(state, .dim)]
            + chart.lines(width: Self.width, height: Self.height)
        FileHandle.standardOutput.write(Data(terminal.redraw(lines, over: drawn).utf8))
        drawn = lines.count
    }
}

private func write(_ text: String, to handle: FileHandle) {
    handle.write(Data((text + "\n").utf8))
}
