import ArgumentParser
import Bluejay
import CHeartWindow
import Foundation

/// Shows a heart rate in a GTK 4 window; see `Documentation/OtherLoops.md`.
@main
struct HeartWindowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "heart-window",
        abstract: "Show the heart rates of the last minute in a window.",
        discussion: """
            The program connects to the first sensor with the Heart Rate service (180D), and also prints \
            each value. It ends when the window is closed, with Ctrl-C or after --for.

            Exit status:
              0   the window was closed
              1   no screen is available, or the screenshot could not be written
              64  invalid command line
            """,
        version: BluejayVersion.current
    )

    @Option(help: "The adapter: a name (hci0) or an address. Default: the first that is on.")
    var adapter: String?

    @Option(
        name: .customLong("for"),
        parsing: .unconditional,
        help: ArgumentHelp("Close the window after this many seconds.", valueName: "seconds")
    )
    var seconds: Double?

    @Option(
        help: ArgumentHelp(
            "Write a picture of the window to this file at the end.",
            valueName: "PNG"
        )
    )
    var screenshot: String?

    func validate() throws {
        guard let seconds else { return }
        guard seconds > 0, seconds <= 1_000_000_000 else {
            throw ValidationError("--for takes a number of seconds above 0, at most a billion")
        }
    }

    // The main thread belongs to GTK, and so does the main actor.
    func run() throws {
        let status = MainActor.assumeIsolated { show() }
        if status != 0 { throw ExitCode.failure }
    }

    @MainActor
    private func show() -> Int32 {
        let run = WindowRun(HeartModel(adapter: adapter), seconds, screenshot)
        let status = run.show()
        run.model.end()
        return status == 0 && run.isSaved ? 0 : 1
    }
}

/// The life of the window, as the C code sees it.
@MainActor
private final class WindowRun {
    let model: HeartModel
    private let seconds: Double?
    private let screenshot: String?
    private var signals: [any DispatchSourceSignal] = []
    /// Whether all pictures were saved.
    private(set) var isSaved: Bool

    init(_ model: HeartModel, _ seconds: Double?, _ screenshot: String?) {
        self.model = model
        self.seconds = seconds
        self.screenshot = screenshot
        isSaved = screenshot == nil
    }

    /// Shows the window until it is closed, and returns the status of GTK.
    func show() -> Int32 {
        let context = Unmanaged.passUnretained(self).toOpaque()
        return withExtendedLifetime(self) {
            heart_window_run("Heart rate", context) { context in
                MainActor.assumeIsolated { WindowRun.from(context)?.begin() }
            } _: { context, canvas, width, height in
                guard let canvas else { return }
                MainActor.assumeIsolated {
                    WindowRun.from(context)?.model.draw(on: canvas, width: width, height: height)
                }
            }
        }
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> WindowRun? {
        context.map { Unmanaged<WindowRun>.fromOpaque($0).takeUnretainedValue() }
    }

    private func begin() {
        model.start()
        // GTK does not handle signals: a killed program would leave its link up.
        signals = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
            source.setEventHandler { MainActor.assumeIsolated { [weak self] in self?.close() } }
            source.resume()
            return source
        }
        guard let seconds else { return }
        DispatchQueue.main.asyncAfter(deadline: .now() + seconds) {
            MainActor.assumeIsolated { self.close() }
        }
    }

    private func close() {
        if let screenshot { isSaved = heart_window_save(screenshot) }
        heart_window_close()
    }
}
