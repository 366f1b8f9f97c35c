import BluejayCommandLine
import Foundation
import MeshSupport
import PocketMesh
import TestSupport
import Testing

@Suite("mesh-chat and mesh-radio", .timeLimit(.minutes(15)))
struct MeshChatTests {
    private static let device = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    private static let identifier = "01020304-0506-0708-090A-0B0C0D0E0F10"

    static let states: [(ConnectionState, String, String)] = [
        (.disconnected, "\u{1B}[31m●\u{1B}[0m disconnected", "● disconnected"),
        (.connecting, "\u{1B}[33m●\u{1B}[0m connecting ...", "● connecting ..."),
        (.connected, "\u{1B}[33m●\u{1B}[0m connected", "● connected"),
        (.ready, "\u{1B}[32m●\u{1B}[0m ready", "● ready"),
    ]

    @Test("A state is a dot, coloured if the terminal supports colours", arguments: states)
    func state(_ state: ConnectionState, coloured: String, plain: String) {
        let terminal = { Terminal(isInteractive: true, hasColor: $0) }
        #expect(ChatEvent.state(state).text(on: terminal(true)) == coloured)
        #expect(ChatEvent.state(state).text(on: terminal(false)) == plain)
    }

    static let objects: [(ChatEvent, String)] = [
        (.searching, #"{"event":"searching"}"#),
        (
            .found(device, rssi: -40),
            #"{"device":"\#(identifier)","event":"found","rssi":-40}"#
        ),
        (
            .phase(.connecting(device)),
            #"{"device":"\#(identifier)","event":"phase","phase":"connecting"}"#
        ),
        (.phase(.idle), #"{"event":"phase","phase":"idle"}"#),
        (
            .state(.connecting),
            #"{"colour":"yellow","event":"state","spinner":true,"state":"connecting"}"#
        ),
        (.sent(Data([5])), #"{"bytes":"05","event":"sent","packet":"what time is it?"}"#),
        (.received(Data([0])), #"{"bytes":"00","event":"received","packet":"ok"}"#),
        (.connectionLost(device), #"{"device":"\#(identifier)","event":"lost"}"#),
        (.reconnected(device), #"{"device":"\#(identifier)","event":"back"}"#),
        (
            .disconnected(device, reason: "off"),
            #"{"device":"\#(identifier)","event":"gone","reason":"off"}"#
        ),
    ]

    @Test("Each event is one JSON object with the fields of the event", arguments: objects)
    func object(_ event: ChatEvent, line: String) throws {
        #expect(try JSONLines().line(event.object) == line)
    }

    static let wrong = [
        ("mesh-chat", ["--pin", "1234567"], "--pin"), ("mesh-chat", ["--pin", "-1"], "--pin"),
        ("mesh-chat", ["--pin", "12a"], "--pin"),
        ("mesh-chat", ["--device", "C0:00:00:00:00:01"], "--device takes an identifier"),
        ("mesh-chat", ["--for", "0"], "--for takes a number of seconds above 0"),
        ("mesh-radio", ["--drop-after", "nan"], "--drop-after takes a number of seconds above 0"),
        ("mesh-radio", ["--for=-1"], "--for takes a number of seconds above 0"),
    ]

    @Test("An invalid argument is rejected with the reason", arguments: wrong)
    func refused(program: String, arguments: [String], reason: String) async throws {
        let (lines, status) = try await runProgram(program, arguments, isErrorOutput: true)
        #expect(status == 64)
        #expect(lines.joined(separator: "\n").contains(reason))
    }
}
