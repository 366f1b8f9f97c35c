import BluejayGLib
import Foundation
import Logging
import TestSupport
import Testing

@testable import BluejayBlueZ
@testable import BluejayDBus

@Suite("Text of log lines")
struct TextTests {
    private static let changed: [BusValue] = [
        .string("org.bluez.Device1"),
        .properties([
            ("RSSI", .int16(-60)), ("Value", .bytes([1, 2, 3])), ("Percentage", .byte(87)),
        ]),
        .strings([]),
    ]

    @Test("Bytes are printed as their number")
    func lengths() {
        #expect(
            BusValueFormatter().description(of: Self.changed)
                == #"("org.bluez.Device1", {RSSI: -60, Value: 3 bytes, Percentage: 1 byte}, [])"#
        )
    }

    @Test("With values shown, bytes are printed in hexadecimal")
    func values() {
        #expect(
            BusValueFormatter(showsValues: true).description(of: Self.changed)
                == #"("org.bluez.Device1", {RSSI: -60, Value: 0x010203, Percentage: 0x57}, [])"#
        )
    }

    @Test("Long strings, lists and arguments are truncated")
    func shortened() {
        let text = BusValueFormatter()
        let list = BusValue.array((0..<20).map { .uint16($0) }, element: "q")
        #expect(text.description(of: [list]) == "([0, 1, 2, 3, 4, 5, 6, 7, …12 more])")
        let long = BusValue.string(String(repeating: "a", count: 100))
        #expect(text.description(of: [long]).count == 64 + 5)
        #expect(text.description(of: Array(repeating: long, count: 20)).count == 402)
    }

    @Test("A detail with a space, quotation mark or equals sign is quoted")
    func quoted() {
        let details = [("a", "b"), ("c", "d e"), ("f", "\"g\""), ("h", "(i, j)"), ("k", "l=m")]
        #expect(
            LogLineFormatter.joined("text", details)
                == #"text a=b c="d e" f="\"g\"" h=(i, j) k="l=m""#
        )
    }

    @Test("Details are sorted, with the instance last")
    func sorted() {
        let details = ["instance": "1", "error": "e", "zebra": "z", "member": "m", "path": "p"]
        #expect(
            LogLineFormatter.sorted(details).map(\.0) == [
                "member", "path", "error", "zebra", "instance",
            ]
        )
    }

    @Test("A line has time, level, label and message, with colours only on terminals")
    func line() {
        let time = Date(timeIntervalSince1970: 1_700_000_000.25)
        let plain = StandardErrorHandler.line(
            at: time,
            "debug",
            "bluejay.x: text",
            isColored: false
        )
        #expect(plain == "2023-11-14T22:13:20.250Z debug bluejay.x: text")
        let coloured = StandardErrorHandler.line(
            at: time,
            "warning",
            "bluejay.x: text",
            isColored: true
        )
        #expect(coloured.contains("\u{1B}[33mwarning\u{1B}[0m"))
    }
}

@Suite("Log settings of the environment")
struct SettingsTests {
    @Test(
        "A level of swift-log is accepted in any case",
        arguments: ["trace", "DEBUG", "Warning"]
    )
    func level(text: String) {
        let settings = LogSettings(["BLUEJAY_LOG": text])
        #expect(settings.level?.rawValue == text.lowercased())
        #expect(settings.invalidSettingMessage == nil)
    }

    @Test("An unknown level gives a message on one line with the accepted levels")
    func unknown() {
        let settings = LogSettings(["BLUEJAY_LOG": "all\nof it"])
        #expect(settings.level == nil)
        #expect(
            settings.invalidSettingMessage
                == #"BLUEJAY_LOG=all\u{A}of it is not a log level; use one of "#
                + "trace, debug, info, notice, warning, error, critical"
        )
    }

    @Test(
        "An empty or missing variable disables logging",
        arguments: [[:], ["BLUEJAY_LOG": ""]]
    )
    func nothing(environment: [String: String]) {
        let settings = LogSettings(environment)
        #expect(settings.level == nil)
        #expect(settings.invalidSettingMessage == nil)
        #expect(!settings.showsValues)
    }

    @Test(
        "Values are shown only for 1",
        arguments: ["1": true, "0": false, "yes": false]
    )
    func values(text: String, isShown: Bool) {
        #expect(LogSettings(["BLUEJAY_LOG_VALUES": text]).showsValues == isShown)
    }

    @Test("A program keeps its log handler and receives the level")
    func ownHandler() async throws {
        try await Recorder.with(.critical) { recorder in
            let isOurs = await recorder.run {
                let logger = LogSettings(["BLUEJAY_LOG": "debug"]).logger("bluejay.test")
                logger.debug("heard")
                return logger.handler is StandardErrorHandler
            }
            #expect(!isOurs)
            #expect(recorder.lines.map(\.message) == ["heard"])
        }
    }
}

@Suite("Tracing of bus messages", .timeLimit(.minutes(15)))
struct TracerTests {
    @Test("Passkeys and PINs are hidden even if values are shown")
    func agent() async throws {
        try await Recorder.with(.trace) { recorder in
            await recorder.run {
                let log = Log("bluejay.dbus", to: nil)
                let tracer = BusTracer(log, clock: ManualClock(), showsValues: true)
                let call = MethodCall(
                    to: "org.example.program",
                    at: "/agent",
                    "org.bluez.Agent1",
                    "DisplayPasskey",
                    [.uint32(123_456)]
                )
                if let message = try? BusMessage.methodCall(call) {
                    tracer.trace(message, isSent: true)
                }
            }
            let line = try #require(recorder.lines.first)
            #expect(line["member"] == "Agent1.DisplayPasskey")
            #expect(line["arguments"] == "(hidden)")
        }
    }

    @Test("A tap receives sent and received messages")
    func tap() throws {
        let loop = TestLoop()
        let bus = try TestBus(loop)
        var seen: [String] = []
        let connection = try BusConnection(.address(bus.address), on: loop.context) {
            message,
            isSent in
            seen.append("\(isSent) \(message.kind)")
        }
        var isReady = false
        connection.onReady = { isReady = true }
        try loop.wait(for: "hello") { isReady }
        #expect(seen.prefix(2) == ["true methodCall", "false methodReturn"])
        connection.close()
    }
}
