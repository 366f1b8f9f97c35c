import Foundation
import TestSupport
import Testing

@Suite("heart-sensor", .timeLimit(.minutes(15)))
struct HeartSensorTests {
    private static let programs = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().path

    @Test("The program prints the advertised name of the sensor instead of the name in BlueZ")
    func name() async throws {
        let script = repositoryFile("Demos/run-peripheral-and-central").path
        let pair = ["virtual-peripheral --name Belt", "heart-sensor --json"]
        let simulator = try await RunningProgram(
            "bluez-simulator",
            ["--time-scale", "0.1", "--", script, Self.programs, "/dev/null"] + pair
        )
        try await simulator.wait(for: "{", count: 2)
        let lines = simulator.lines
        _ = await simulator.end(SIGTERM)
        let values = lines.filter { $0.hasPrefix("{") }
        #expect(values.allSatisfy { $0.contains(#""peripheral":"Belt""#) })
        let connected = lines.filter { $0.hasPrefix("connected to ") }
        #expect(connected.allSatisfy { $0.hasPrefix("connected to Belt (") })
        #expect(!values.isEmpty && !connected.isEmpty)
    }

    @Test(
        "The chart adapts to the terminal and stays below the log",
        .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/script"))
    )
    func resized() async throws {
        let sign = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: sign) }
        // The file signals the script to shrink the terminal.
        let script = """
            stty cols 100 rows 24
            \(Self.programs)/heart-sensor --verbose &
            until [ -e \(sign.path) ]; do sleep 0.1; done
            stty cols 40 rows 15
            wait
            """
        let simulator = try await RunningProgram(
            "bluez-simulator",
            ["--heart-rate-sensor", "--", "script", "-qec", script, "/dev/null"],
            environment: ["TERM": "xterm", "SHELL": "/bin/bash"]
        )
        func times() -> [Int] {
            let axes = simulator.lines.filter { $0.contains(" s ") && $0.contains(" now") }
            return axes.map { $0.matches(of: #/-[0-9]+ s/#).count }
        }
        try await wait { times().last == 9 && simulator.lines.contains { $0.contains("♥") } }
        try Data().write(to: sign)
        try await wait { times().last == 3 }
        let lines = simulator.lines
        _ = await simulator.end(SIGTERM)
        // The program erases the chart before each log line and draws it again below.
        let logged = lines.indices.filter { lines[$0].contains("bluejay: ") }
        #expect(!logged.isEmpty)
        #expect(logged.dropFirst().contains { lines[$0].hasPrefix("\u{1B}[") })
        for index in logged { #expect(lines[(index + 1)...].contains { $0.contains(" now") }) }
    }
}
