import Bluejay
import BluejayCommandLine
import Dispatch
import Foundation

protocol HeartRateDisplay: AnyObject {
    func connected(to peripheral: PeripheralIdentifier)
    /// The link is down, or a connection attempt failed.
    func disconnected()
    func show(_ reading: HeartRateReading, from peripheral: PeripheralIdentifier?)
    /// Shows the present activity.
    func status(_ text: String)
    /// Writes a line to standard error.
    func log(_ text: String)
    func finish()
}

extension HeartRateDisplay {
    func connected(to peripheral: PeripheralIdentifier) {}
    func disconnected() {}
    func log(_ text: String) { write(text, to: .standardError) }
    func finish() {}
}

/// Returns the display for the output: JSON objects, a chart on a terminal, or plain lines.
///
/// - Parameters:
///   - json: Whether to write JSON objects.
///   - isVerbose: Whether a log is written as well.
/// - Returns: The display.
func heartRateDisplay(json: Bool, isVerbose: Bool) -> any HeartRateDisplay {
    if json { return JSONDisplay() }
    let terminal = Terminal()
    // The log of the library consists of lines, which would break the chart.
    let environment = ProcessInfo.processInfo.environment
    let isLogged = environment["BLUEJAY_LOG", default: ""] != "" && Terminal.showsErrors
    guard terminal.isInteractive, !isLogged else { return LineDisplay() }
    return ChartDisplay(terminal, leavesRoom: isVerbose && Terminal.showsErrors)
}

/// Writes one JSON object a line to standard output, and the status to standard error.
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
}

/// Writes plain lines, for a log or a pipe.
private final class LineDisplay: HeartRateDisplay {
    func show(_ reading: HeartRateReading, from peripheral: PeripheralIdentifier?) {
        write("heart rate \(reading.beatsPerMinute)", to: .standardOutput)
    }

    func status(_ text: String) {
        write(text.printable, to: .standardError)
    }
}

/// Draws a live chart in place: each second, and at each event.
private final class ChartDisplay: HeartRateDisplay {
    private let terminal: Terminal
    /// Whether a log shares the terminal; it is written above the chart.
    private let leavesRoom: Bool
    private let clock = ContinuousClock()
    private let startTime: ContinuousClock.Instant
    private var scene = HeartRateScene()
    private var screen: ChartScreen
    private var drawn = 0
    private var ticks: (any DispatchSourceTimer)?
    private var signals: [any DispatchSourceSignal] = []

    init(_ terminal: Terminal, leavesRoom: Bool) {
        self.terminal = terminal
        self.leavesRoom = leavesRoom
        startTime = clock.now
        screen = terminal.screen(leavingRoom: leavesRoom)
        let ticks = DispatchSource.makeTimerSource(queue: .main)
        ticks.schedule(deadline: .now() + 1, repeating: 1)
        ticks.setEventHandler { [weak self] in self?.draw() }
        ticks.resume()
        self.ticks = ticks
        signals = [
            listen(to: SIGWINCH) { [weak self] in self?.draw() },
            // After Ctrl-Z other lines cover the chart.
            listen(to: SIGCONT) { [weak self] in
                self?.drawn = 0
                self?.draw()
            },
        ]
    }

    func connected(to peripheral: PeripheralIdentifier) {
        scene.connected(to: peripheral.name)
        draw()
    }

    func disconnected() {
        scene.disconnected(at: clock.now - startTime)
        draw()
    }

    func show(_ reading: HeartRateReading, from peripheral: PeripheralIdentifier?) {
        scene.received(Int(reading.beatsPerMinute), at: clock.now - startTime)
        draw()
    }

    func status(_ text: String) {
        scene.setState(text)
        draw()
    }

    func log(_ text: String) {
        guard leavesRoom else { return write(text, to: .standardError) }
        FileHandle.standardOutput.write(Data(terminal.erased(drawn).utf8))
        drawn = 0
        write(text, to: .standardError)
        draw()
    }

    func finish() {
        ticks?.cancel()
        signals.forEach { $0.cancel() }
        write("", to: .standardOutput)
    }

    private func draw() {
        let present = terminal.screen(leavingRoom: leavesRoom)
        // The terminal has rewrapped the previous lines.
        let isResized = present != screen
        screen = present
        let lines = screen.lines(scene, at: clock.now - startTime).map { line in
            line.style.map { terminal.styled(line.text, $0) } ?? line.text
        }
        let text =
            (isResized ? terminal.cleared : "")
            + terminal.redraw(lines, over: isResized ? 0 : drawn)
        FileHandle.standardOutput.write(Data(text.utf8))
        drawn = lines.count
    }
}

private func listen(
    to number: Int32,
    _ handler: @escaping () -> Void
) -> any DispatchSourceSignal {
    let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
    source.setEventHandler(handler: handler)
    source.resume()
    return source
}

private func write(_ text: String, to handle: FileHandle) {
    handle.write(Data((text + "\n").utf8))
}
