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

    @Test("At 80 columns the table shows all columns, one line per device")
    func wide() {
        #expect(
            Self.board.lines(at: 10, columns: 80, rows: 24, on: Self.plain) == [
                "NAME               ADDRESS            SIGNAL dBm  SERVICES                MAKER",
                "Heart Rate Sensor  C0:00:00:00:00:01  ▂▄▆█ -55    Heart Rate",
                "Thermometer in t…  C0:00:00:00:00:02  ▂    -80    Health Thermometer, F…",
                "No Name            C0:00:00:00:00:03  connected                           Apple",
                "\u{FFFD}]0;evil\u{FFFD}          C0:00:00:00:00:04       -95",
            ]
        )
    }

    @Test("At 40 columns the table shows only name, address and signal")
    func narrow() {
        #expect(
            Self.board.lines(at: 10, columns: 40, rows: 15, on: Self.plain) == [
                "NAME      ADDRESS            SIGNAL dBm",
                "Heart R…  C0:00:00:00:00:01  ▂▄▆█ -55",
                "Thermom…  C0:00:00:00:00:02  ▂    -80",
                "No Name   C0:00:00:00:00:03  connected",
                "\u{FFFD}]0;evi…  C0:00:00:00:00:04       -95",
            ]
        )
    }

    @Test("With too few rows the last line counts the hidden devices")
    func low() {
        let lines = Self.board.lines(at: 10, columns: 80, rows: 5, on: Self.plain)
        #expect(lines.count == 4)
        #expect(lines.last == "… and 2 more")
    }

    @Test("A device without advertisements for 15 s is shown as silent")
    func silent() {
        let lines = Self.board.lines(at: 15, columns: 80, rows: 24, on: Self.plain)
        #expect(lines[1] == "Heart Rate Sensor  C0:00:00:00:00:01  silent      Heart Rate")
        #expect(lines[2].contains("-80"))
    }

    @Test("Styles mark the heading, connected devices and silent devices")
    func colours() {
        let coloured = Terminal(isInteractive: true, hasColor: true)
        let lines = Self.board.lines(at: 15, columns: 80, rows: 24, on: coloured)
        #expect(lines.map { $0.hasPrefix("\u{1B}[") } == [true, true, false, true, false])
        #expect(lines[3].hasPrefix("\u{1B}[32mNo Name"))
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
