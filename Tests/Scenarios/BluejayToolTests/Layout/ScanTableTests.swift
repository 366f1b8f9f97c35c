import BluejayCommandLine
import BluejayCore
import Foundation
import Testing

@testable import Bluejay
@testable import BluejayTool

@Suite("The scan table", .timeLimit(.minutes(15)))
struct ScanTableTests {
    private static let plain = Terminal(isInteractive: true, hasColor: false)

    private static func seen(
        _ name: String?,
        _ number: Int = 1,
        rssi: Int = -55,
        services: [String] = [],
        companies: [UInt16: Data] = [:],
        isConnected: Bool = false
    ) -> ScanRow {
        ScanRow(
            ScanDiscovery(
                peripheralIdentifier: device(name, "C0:00:00:00:00:0\(number)"),
                advertisement: Advertisement(
                    localName: name,
                    manufacturerData: companies,
                    serviceUUIDs: services.map { BluetoothUUID(string: $0) }
                ),
                rssi: rssi,
                isConnected: isConnected
            )
        )
    }

    private static let board: ScanTable = {
        var board = ScanTable()
        board.update(seen("Heart Rate Sensor", services: ["180D"]), at: 0)
        board.update(
            seen("Thermometer in the cellar", 2, rssi: -80, services: ["1809", "FFE0"]),
            at: 10
        )
        board.update(
            seen(nil, 3, rssi: 127, companies: [0x4C: Data([2, 0x15])], isConnected: true),
            at: 10
        )
        board.update(seen("\u{1B}]0;evil\u{07}", 4, rssi: -95), at: 10)
        return board
    }()

    @Test("Manufacturers are sorted by company number and printed with known names")
    func makers() {
        var board = ScanTable()
        let companies: [UInt16: Data] = [0xFFFF: Data([1]), 0x6B: Data(), 0x4C: Data([2])]
        let device = Self.seen("Band", companies: companies)
        board.update(device, at: 0)
        let lines = board.lines(at: 0, columns: 120, rows: 24, on: Self.plain)
        #expect(lines.last?.hasSuffix("  Apple, Polar, 0xFFFF") == true)
        #expect(device.line.hasSuffix("\t0x004C 02, 0x006B , 0xFFFF 01\t"))
    }

    @Test("At 80 columns the table shows connected devices first, then the strongest")
    func wide() {
        #expect(
            Self.board.lines(at: 12, columns: 100, rows: 24, on: Self.plain) == [
                "NAME                       ADDRESS            SIGNAL dBm  AGE s  COUNT  SERVICES              MAKER",
                "No Name                    C0:00:00:00:00:03  connected   2      1                            Apple",
                "Heart Rate Sensor          C0:00:00:00:00:01  ▂▄▆█ -55    12     1      Heart Rate",
                "Thermometer in the cellar  C0:00:00:00:00:02  ▂    -80    2      1      Health Thermometer,…",
                "\u{FFFD}]0;evil\u{FFFD}                  C0:00:00:00:00:04       -95    2      1",
            ]
        )
        #expect(
            Self.board.lines(at: 10, columns: 80, rows: 24, on: Self.plain) == [
                "NAME                       ADDRESS            SIGNAL dBm  AGE s  COUNT  MAKER",
                "No Name                    C0:00:00:00:00:03  connected   0      1      Apple",
                "Heart Rate Sensor          C0:00:00:00:00:01  ▂▄▆█ -55    10     1",
                "Thermometer in the cellar  C0:00:00:00:00:02  ▂    -80    0      1",
                "\u{FFFD}]0;evil\u{FFFD}                  C0:00:00:00:00:04       -95    0      1",
            ]
        )
    }

    @Test("At 40 columns other columns give way to the name, and a missing name is the address")
    func narrow() {
        #expect(
            Self.board.lines(at: 10, columns: 40, rows: 15, on: Self.plain) == [
                "NAME                       SIGNAL dBm",
                "C0:00:00:00:00:03          connected",
                "Heart Rate Sensor          ▂▄▆█ -55",
                "Thermometer in the cellar  ▂    -80",
                "\u{FFFD}]0;evil\u{FFFD}                       -95",
            ]
        )
        #expect(
            Self.board.lines(at: 10, columns: 25, rows: 15, on: Self.plain)[3]
                == "Thermometer…  ▂    -80"
        )
    }

    @Test("A name longer than an advertisement holds is cut before the age is removed")
    func longName() {
        var board = ScanTable()
        board.update(Self.seen(String(repeating: "x", count: 60), services: ["180D"]), at: 0)
        let lines = board.lines(at: 0, columns: 80, rows: 24, on: Self.plain)
        #expect(lines[0].hasSuffix("ADDRESS            SIGNAL dBm  AGE s  COUNT"))
        #expect(lines[1].hasPrefix(String(repeating: "x", count: 33) + "…  C0:"))
    }

    @Test("With too few rows the last line counts the hidden devices")
    func low() {
        let lines = Self.board.lines(at: 10, columns: 80, rows: 5, on: Self.plain)
        #expect(lines.count == 4)
        #expect(lines.last == "… and 2 more")
        #expect(Self.board.lines(at: 10, columns: 80, rows: nil, on: Self.plain).count == 5)
    }

    @Test("A device without advertisements for 15 s is shown as silent, behind the others")
    func silent() {
        let lines = Self.board.lines(at: 15, columns: 80, rows: 24, on: Self.plain)
        #expect(lines[4].hasPrefix("Heart Rate Sensor          C0:00:00:00:00:01  silent      15"))
        #expect(lines[2].contains("-80"))
    }

    @Test("Styles mark the heading, connected devices and silent devices")
    func colours() {
        let coloured = Terminal(isInteractive: true, hasColor: true)
        let lines = Self.board.lines(at: 15, columns: 80, rows: 24, on: coloured)
        #expect(lines.map { $0.hasPrefix("\u{1B}[") } == [true, true, false, false, true])
        #expect(lines[1].hasPrefix("\u{1B}[32mNo Name"))
    }

    private static func names(_ board: ScanTable, at time: Double) -> [String] {
        board.lines(at: time, columns: 80, rows: nil, on: plain).dropFirst()
            .map { String($0.prefix { $0 != " " }) }
    }

    @Test("Rows keep their order while strengths vary, and move after a lasting change")
    func calmOrder() {
        var board = ScanTable()
        board.update(Self.seen("A", 1, rssi: -60), at: 0)
        board.update(Self.seen("B", 2, rssi: -60), at: 0)
        for number in 1...40 {
            let time = Double(number) / 10
            board.update(Self.seen("A", 1, rssi: number % 2 == 0 ? -58 : -66), at: time)
            board.update(Self.seen("B", 2, rssi: number % 2 == 0 ? -66 : -58), at: time)
            #expect(Self.names(board, at: time) == ["A", "B"], "\(number)")
        }
        for number in 41...60 {
            board.update(Self.seen("B", 2, rssi: -40), at: Double(number) / 10)
        }
        #expect(Self.names(board, at: 6) == ["B", "A"])
    }

    @Test("Age and count are those of the reports, and empty without one")
    func ageAndCount() {
        var board = ScanTable()
        board.update(Self.seen("A", 1, isConnected: true), at: 0, isReport: false)
        board.update(Self.seen("B", 2), at: 0)
        for time in [1.0, 2, 3] { board.update(Self.seen("B", 2), at: time) }
        let lines = board.lines(at: 7.9, columns: 80, rows: nil, on: Self.plain)
        #expect(lines[1] == "A     C0:00:00:00:00:01  connected")
        #expect(lines[2] == "B     C0:00:00:00:00:02  ▂▄▆█ -55    4      4")
    }

    @Test("An empty table shows a hint, truncated to the width")
    func empty() {
        let board = ScanTable()
        #expect(
            board.lines(at: 0, columns: 80, rows: 24, on: Self.plain) == [
                "looking for devices; Ctrl-C ends it"
            ]
        )
        #expect(
            board.lines(at: 0, columns: 20, rows: 24, on: Self.plain) == ["looking for device…"]
        )
    }

    static let strengths: [(Int?, String)] = [
        (-54, "▂▄▆█ -54"), (-55, "▂▄▆█ -55"), (-56, "▂▄▆  -56"), (-70, "▂▄   -70"),
        (-90, "▂    -90"), (-91, "     -91"), (nil, ""),
    ]

    @Test("A signal is up to four bars and a number", arguments: strengths)
    func strength(rssi: Int?, text: String) {
        #expect(ScanTable.signal(rssi) == text)
    }
}
