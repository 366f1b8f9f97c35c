import BluejayCommandLine
import Foundation
import TestSupport
import Testing

@testable import ThermometerActor
@testable import thermometer
@testable import thermometer_reader

@Suite("Parts of thermometer and thermometer-reader", .timeLimit(.minutes(15)))
struct ThermometerTests {
    private static let text = "01020304-0506-0708-090A-0B0C0D0E0F10"
    private static let id = UUID(uuidString: text) ?? UUID()

    static let readerEvents: [(ReaderEvent, String, String)] = [
        (.searching, "searching for a thermometer", #"{"event":"searching"}"#),
        (.found(id), "found \(text)", #"{"event":"found","id":"\#(text)"}"#),
        (.known(id), "connecting to \(text)", #"{"event":"known","id":"\#(text)"}"#),
        (.temperature(21.5), "read 21.50 °C", #"{"event":"temperature","value":21.5}"#),
        (.calibrated(-2), "calibrated by -2.00 °C", #"{"event":"calibrated","value":-2}"#),
        (.update(22), "now 22.00 °C", #"{"event":"update","value":22}"#),
        (.interrupted, "the link was lost", #"{"event":"interrupted"}"#),
    ]

    @Test(
        "Each event of a reader has a line of text and a JSON object",
        arguments: readerEvents
    )
    func readerLines(event: ReaderEvent, text: String, json: String) throws {
        #expect(event.text == text)
        #expect(try JSONLines().line(event.object) == json)
    }

    @Test("Each event of a thermometer has a line of text and a JSON object")
    func thermometerLines() throws {
        let lines = [
            ThermometerEvent.read(21.5), .calibrated(2), .subscribed, .sent(22), .unsubscribed,
        ]
        .map { ThermometerLine($0) }
        #expect(
            lines.map(\.text) == [
                "read 21.5", "calibrated 2.0", "a central subscribed", "sent 22.0",
                "a central unsubscribed",
            ]
        )
        #expect(
            try lines.map { try JSONLines().line($0) } == [
                #"{"event":"read","value":21.5}"#, #"{"event":"calibrated","value":2}"#,
                #"{"event":"subscribed"}"#, #"{"event":"sent","value":22}"#,
                #"{"event":"unsubscribed"}"#,
            ]
        )
    }

    @Test("An offset outside the range is rejected with the reason")
    func offset() async throws {
        let programs = URL(filePath: programPath("thermometer")).deletingLastPathComponent().path
        let script = repositoryFile("Demos/run-thermometer").path
        let (lines, status) = try await runProgram(
            "bluez-simulator",
            ["--", script, programs, "/dev/null", "--for", "20", "--offset", "99"],
            isErrorOutput: true
        )
        #expect(status == 1)
        #expect(
            lines.contains("thermometer-reader: the offset must be between -10 and 10, not 99.0")
        )
    }
}
