import Bluejay
import CHeartWindow
import Foundation

/// The model of the window: the heart rates of the sensor and the present activity.
@MainActor
final class HeartModel {
    private static let heartColour: Int32 = 0xD0_10_40
    private static let lineColour: Int32 = 0x30_60_A0
    private static let gridColour: Int32 = 0xD8_D8_D8

    private let bluejay: Bluejay
    private let clock = ContinuousClock()
    private let begin: ContinuousClock.Instant
    private var sensor: PeripheralIdentifier?
    private var readings: [HeartPlot.Reading] = []
    private var state = "searching for a heart rate sensor"
    private var isConnected = false
    private var ticks: (any DispatchSourceTimer)?

    init(adapter: String?) {
        bluejay = Bluejay(adapter: adapter)
        begin = clock.now
    }

    /// Starts to look for a sensor, while GTK's loop runs.
    func start() {
        bluejay.register(connectionObserver: self)
        bluejay.start()
        let ticks = DispatchSource.makeTimerSource(queue: .main)
        ticks.schedule(deadline: .now(), repeating: 1)
        ticks.setEventHandler { MainActor.assumeIsolated { [weak self] in self?.show() } }
        ticks.resume()
        self.ticks = ticks
    }

    /// Disconnects.
    ///
    /// GTK's loop has ended, so the main loop runs until the link is down.
    func end() {
        ticks?.cancel()
        bluejay.stopScanning()
        bluejay.disconnect(immediate: true) { _ in MainLoop.main.stop() }
        MainLoop.main.run()
    }

    private var now: Duration { clock.now - begin }

    private func find() {
        guard sensor == nil, !bluejay.isScanning else { return }
        bluejay.scan(serviceIdentifiers: [.heartRate]) { [weak self] discovery, _ in
            // Keep the advertised name: BlueZ may know another name of a connected device.
            self?.sensor = discovery.peripheralIdentifier
            return .connect(discovery) { result in
                guard case .failure(let error) = result else { return }
                self?.sensor = nil
                self?.say("no connection: \(error.localizedDescription)")
                self?.find()
            }
        } stopped: { [weak self] _, error in
            if let error { self?.say("the search ended: \(error.localizedDescription)") }
        }
    }

    private func listen() {
        bluejay.listen(to: .heartRateMeasurement) {
            [weak self] (result: ReadResult<HeartRateReading>) in
            guard let self else { return }
            switch result {
            case .success(let reading):
                let value = Int(reading.beatsPerMinute)
                FileHandle.standardOutput.write(Data("heart rate \(value)\n".utf8))
                let old = readings.firstIndex { self.now - $0.at <= .seconds(120) }
                readings.removeFirst(old ?? readings.count)
                readings.append(HeartPlot.Reading(at: now, beatsPerMinute: value))
                show()
            case .failure(let error): say("a measurement failed: \(error.localizedDescription)")
            }
        }
    }

    private func say(_ text: String) {
        state = text
        show()
    }

    private func show() {
        heart_window_set_title(sensor.map { $0.name } ?? "Heart rate")
        heart_window_set_text(words)
        heart_window_redraw()
    }

    /// A heart rate counts as current for five seconds, while the link is up.
    private var words: String {
        guard isConnected, let last = readings.last else { return state }
        let age = now - last.at
        return age < .seconds(5)
            ? "♥ \(last.beatsPerMinute) beats a minute"
            : "♡ no heart rate for \(age.components.seconds) s; the last was \(last.beatsPerMinute)"
    }

    /// Draws the plot for the present time.
    func draw(on canvas: OpaquePointer, width: Double, height: Double) {
        let plot = HeartPlot(readings, now: now, width: width, height: height)
        for tick in plot.rates {
            let y = tick.position
            heart_canvas_line(canvas, plot.left, y, plot.right, y, Self.gridColour)
            heart_canvas_text(canvas, plot.left - 6, y, false, tick.text)
        }
        for tick in plot.times {
            let x = tick.position
            heart_canvas_line(canvas, x, plot.top, x, plot.bottom, Self.gridColour)
            let isLast = tick == plot.times.first
            heart_canvas_text(canvas, x + (isLast ? 8 : 0), plot.bottom + 12, !isLast, tick.text)
        }
        for (from, to) in zip(plot.points, plot.points.dropFirst()) where to.isJoined {
            heart_canvas_line(canvas, from.x, from.y, to.x, to.y, Self.lineColour)
        }
        for point in plot.points {
            heart_canvas_dot(canvas, point.x, point.y, 5, Self.heartColour)
        }
    }
}

// The loop runs on the main actor, and so do its callbacks.
extension HeartModel: @MainActor ConnectionObserver {
    func bluetoothAvailable(_ available: Bool) {
        if available {
            find()
        } else {
            say("\(bluejay.bluetoothState)")
        }
    }

    func connected(to peripheral: PeripheralIdentifier) {
        isConnected = true
        say("connected")
        listen()
    }

    func disconnected(from peripheral: PeripheralIdentifier) {
        isConnected = false
        say("♡ disconnected; reconnecting")
    }
}
