import BluejayCore
import BluejayCurses
import Foundation
import Testing

@testable import Bluejay
@testable import BluejayTool

@Suite("The screen of the inspector", .timeLimit(.minutes(15)))
struct InspectorScreenTests {
    private static let wide = InspectorScreen.Size(columns: 80, rows: 24)
    private static let narrow = InspectorScreen.Size(columns: 40, rows: 15)

    private static func text(
        _ state: InspectorState,
        _ size: InspectorScreen.Size,
        at time: Double = 0
    ) -> [String] {
        let screen = InspectorScreen(state, at: time, size: size)
        #expect(screen.lines.count == size.rows)
        for line in screen.lines {
            #expect(line.text.displayWidth <= size.columns, "\(line.text)")
            #expect(
                !line.text.unicodeScalars.contains { $0.properties.generalCategory == .control }
            )
        }
        return screen.lines.map(\.text.trimmedAtEnd)
    }

    /// The lines as one line, with single spaces.
    private static func words(_ lines: [String]) -> String {
        lines.joined(separator: " ").split(separator: " ").joined(separator: " ")
    }

    private static func scanning() -> InspectorState {
        var state = InspectorState()
        let reports: [(name: String?, number: Int, rssi: [Int])] = [
            ("Heart Rate Sensor", 1, [-90, -70, -50]), (nil, 2, [-80]),
            ("\u{1B}[31mevil\u{202E}\u{07}", 3, [-95]), ("温度計", 4, [-99]),
        ]
        for report in reports {
            for (step, rssi) in report.rssi.enumerated() {
                let row = InspectorSamples.scanned(report.name, report.number, rssi: rssi)
                _ = state.handle(.scanned(row, isReport: true), at: Double(2 * step))
            }
        }
        return state
    }

    @Test("The list shows each device with its strength over time")
    func devices() {
        #expect(
            Self.text(Self.scanning(), Self.wide, at: 5).prefix(6) == [
                "4 devices" + String(repeating: " ", count: 63) + "scanning",
                "  NAME               ADDRESS            dBm  TREND            AGE s",
                "> Heart Rate Sensor  C0:00:00:00:00:11  -50              ▂▅▇  1",
                "  No Name            C0:00:00:00:00:12  -80              ▃    5",
                "  \u{FFFD}[31mevil\u{FFFD}\u{FFFD}        C0:00:00:00:00:13  -95              ▂    5",
                "  温度計             C0:00:00:00:00:14  -99              ▁    5",
            ]
        )
    }

    @Test("A narrow list omits the address, except for a device without a name")
    func narrowDevices() {
        let lines = Self.text(Self.scanning(), Self.narrow, at: 5)
        #expect(lines[2].hasPrefix("> Heart Rate Sensor"))
        #expect(lines[2].hasSuffix("  -50      ▂▅▇  1"))
        #expect(lines[3].hasPrefix("  C0:00:00:00:00:12  "))
        #expect(lines.last == "Enter connect  / filter  ? help  q quit")
    }

    @Test("A list longer than the screen shows the part around the selection")
    func longList() {
        var state = InspectorState()
        for number in 0..<60 {
            let row = InspectorSamples.scanned("Lamp \(number)", number)
            _ = state.handle(.scanned(row, isReport: true), at: 0)
        }
        #expect(Self.text(state, Self.narrow).contains { $0.hasPrefix("> Lamp 0 ") })
        state.press(.end)
        let lines = Self.text(state, Self.narrow)
        #expect(lines.contains { $0.hasPrefix("> Lamp 59") })
        #expect(!lines.contains { $0.hasPrefix("  Lamp 0 ") })
    }

    @Test("Without devices the screen shows the reason that Bluetooth is unavailable")
    func empty() {
        var state = InspectorState()
        #expect(Self.text(state, Self.wide).first?.hasPrefix("0 devices") == true)
        let reason = "Bluetooth is not available: \(BluetoothState.poweredOff)"
        _ = state.handle(.bluetooth(reason: reason), at: 1)
        let lines = Self.text(state, Self.narrow)
        #expect(lines.first?.hasSuffix("no Bluetooth") == true)
        #expect(Self.words(lines).contains("run `bluetoothctl power on`"))
        _ = state.handle(.bluetooth(reason: nil), at: 2)
        #expect(Self.text(state, Self.narrow).first?.hasSuffix("scanning") == true)
    }

    @Test("The tree shows operations, values and failures beside the attributes")
    func tree() throws {
        var state = InspectorSamples.connected()
        let rows = try #require(state.inspection?.rows)
        let attributes = rows.compactMap(\.attribute)
        state.press(.down)
        state.type("n")
        _ = state.handle(.notified(InspectorSamples.measurement, Data([0, 61])), at: 1)
        _ = state.handle(.read(attributes[2], .success(Data([1]))), at: 1)
        _ = state.handle(.read(attributes[1], .failure(ToolFailure("refused"))), at: 1)
        #expect(
            Self.text(state, Self.wide).prefix(6) == [
                "Heart Rate Sensor (C4:7C:8D:6A:1F:02)"
                    + String(repeating: " ", count: 34) + "connected",
                "  180D Heart Rate",
                "> ├─ 2A37 Heart Rate Measurement                    n * 61 bpm",
                "  │  └─ 2902 Client Characteristic Configuration  r   refused",
                "  ├─ 2A38 Body Sensor Location                    r   chest (1)",
                "  └─ 2A39 Heart Rate Control Point                 w",
            ]
        )
        let narrow = Self.text(state, Self.narrow)
        #expect(narrow[2] == "> ├─ 2A37 Heart Rate …   n * 61 bpm")
        #expect(narrow.suffix(2).first == "r read  w write  n listen  R all  p pair")
        #expect(narrow.last == "c record  Esc back  ? help  q quit")
    }

    @Test("The page of an attribute shows facts, a plot and earlier values")
    func attribute() {
        var state = InspectorSamples.connected()
        state.press(.down, .enter)
        #expect(Self.text(state, Self.narrow).contains("n listens and plots the numbers"))
        state.type("n")
        for beats in [60, 80, 70] {
            let value = Data([0, UInt8(beats)])
            _ = state.handle(.notified(InspectorSamples.measurement, value), at: Double(beats))
        }
        #expect(
            Self.text(state, Self.wide, at: 82).prefix(19) == [
                "Heart Rate Sensor (C4:7C:8D:6A:1F:02)"
                    + String(repeating: " ", count: 34) + "connected",
                "2A37 Heart Rate Measurement",
                "service     180D Heart Rate",
                "properties  notify",
                "value       70 bpm",
                "bytes       0046",
                "age         12 s",
                "values      3, listening",
                "",
                "60 to 80",
                " █", " █", " █▁", " ██", " ██", "▁██",
                "",
                "2 s ago     80 bpm",
                "22 s ago    60 bpm",
            ]
        )
        _ = Self.text(state, Self.narrow, at: 82)
    }

    @Test("A value of a peer with control characters is shown without them")
    func hostileValue() throws {
        let service = ServiceIdentifier(uuid: "180A")
        let name = characteristic("2A29", of: service, .read)
        let services = [
            PeripheralService(
                identifier: service,
                isPrimary: true,
                characteristics: [name],
                includedServices: []
            )
        ]
        var state = InspectorState()
        let evil = device("\u{1B}]0;evil\u{07}")
        _ = state.open(evil)
        _ = state.handle(.connected(evil, services, isPaired: true), at: 0)
        let value = Data("\u{1B}[2J\r\n\u{9B}31m".utf8)
        _ = state.handle(.read(.characteristic(name), .success(value)), at: 0)
        state.press(.down)
        #expect(Self.text(state, Self.wide).contains { $0.contains("\u{FFFD}[2J") })
        state.press(.enter)
        #expect(Self.text(state, Self.wide).contains { $0.hasPrefix("value       \u{FFFD}[2J") })
        state.type("p")
        #expect(Self.text(state, Self.wide).contains("pair with \u{FFFD}]0;evil\u{FFFD}? y/N"))
    }

    @Test("An input shows its end and the cursor")
    func input() {
        var state = InspectorSamples.connected()
        for _ in 0..<4 { state.press(.down) }
        state.type("w" + String(repeating: "0", count: 100) + "1")
        let screen = InspectorScreen(state, at: 0, size: Self.narrow)
        let row = screen.cursorRow ?? 0
        #expect(screen.lines[row].text == "> " + String(repeating: "0", count: 36) + "1")
        #expect(screen.cursorColumn == 39)
        #expect(Self.text(state, Self.narrow).last == "Enter next  Tab format  Esc cancel")
    }

    @Test(
        "A small window shows a sentence",
        arguments: [(20, 5), (1, 1), (23, 24), (80, 7), (0, 0)]
    )
    func small(columns: Int, rows: Int) {
        let size = InspectorScreen.Size(columns: columns, rows: rows)
        for state in [InspectorState(), InspectorSamples.connected(), Self.scanning()] {
            let lines = InspectorScreen(state, at: 0, size: size).lines
            #expect(lines.count <= rows)
            #expect(lines.allSatisfy { $0.text.displayWidth <= columns })
        }
        guard columns >= 20, rows >= 5 else { return }
        let lines = InspectorScreen(InspectorState(), at: 0, size: size).lines.map(\.text)
        #expect(Self.words(lines).contains("the window is too small"))
    }

    @Test("Every page fits every window", arguments: [(24, 8), (40, 15), (80, 24), (200, 60)])
    func sizes(columns: Int, rows: Int) {
        let size = InspectorScreen.Size(columns: columns, rows: rows)
        var attribute = InspectorSamples.connected()
        attribute.press(.down, .enter)
        var help = InspectorState()
        help.type("?")
        var lost = InspectorSamples.connected()
        _ = lost.handle(.disconnected(reason: String(repeating: "lost ", count: 100)), at: 0)
        var question = InspectorSamples.connected()
        question.press(.down, .down, .down, .down)
        question.type("w" + String(repeating: "ab", count: 100))
        question.press(.enter)
        let states = [InspectorState(), Self.scanning(), attribute, help, lost, question]
        for state in states { _ = Self.text(state, size, at: 5) }
    }

    @Test("The strength over time has a block for every two seconds")
    func history() {
        var history = SignalHistory()
        history.add(-100, at: 0)
        history.add(-40, at: 5)
        history.add(-80, at: 5.5)
        #expect(history.line(at: 7, width: 5) == " ▁ █ ")
        #expect(history.line(at: 100, width: 5) == "     ")
        for second in 0..<1000 { history.add(-70, at: Double(second)) }
        #expect(history.line(at: 999, width: 15) == String(repeating: "▅", count: 15))
    }

    @Test("Text in ASCII keeps its width")
    func ascii() {
        #expect("├─ 2A37 ▁█ …".asciiLookalike == "|- 2A37 _# ~")
        #expect("温é\u{FFFD}".asciiLookalike == "????")
    }
}
