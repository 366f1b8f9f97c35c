import BluejayCore
import BluejayCurses
import Foundation
import Testing

@testable import Bluejay
@testable import BluejayTool

@Suite("The state of the inspector", .timeLimit(.minutes(15)))
struct InspectorStateTests {
    private static func attribute(_ row: Int, _ state: InspectorState) throws -> ValueAttribute {
        try #require(state.inspection?.rows[row].attribute)
    }

    // MARK: Devices

    @Test("Enter connects to the selected device, and Escape disconnects")
    func connect() {
        var state = InspectorState()
        _ = state.handle(.scanned(InspectorSamples.scanned("A", 1), isReport: true), at: 0)
        _ = state.handle(
            .scanned(InspectorSamples.scanned("B", 2, rssi: -90), isReport: true),
            at: 0
        )
        state.type("j")
        let second = InspectorSamples.scanned("B", 2).identifier
        #expect(state.press(.enter) == [.connect(second)])
        #expect(state.inspection?.link == .connecting)
        #expect(state.press(.escape) == [.disconnect])
        #expect(state.inspection == nil)
    }

    @Test("A selected device stays selected when another device becomes stronger")
    func selection() {
        var state = InspectorState()
        for number in 1...3 {
            let device = InspectorSamples.scanned("\(number)", number, rssi: -40 - 10 * number)
            _ = state.handle(.scanned(device, isReport: true), at: 0)
        }
        state.press(.down)
        #expect(state.devices.selection(at: 0)?.name == "2")
        for time in 1...20 {
            let device = InspectorSamples.scanned("3", 3, rssi: -20)
            _ = state.handle(.scanned(device, isReport: true), at: Double(time))
        }
        #expect(state.devices.matches(at: 20).first?.scan.device.name == "3")
        #expect(state.devices.selection(at: 20)?.name == "2")
    }

    @Test("Keys in an empty list do nothing")
    func empty() {
        var state = InspectorState()
        #expect(state.press(.enter, .down, .end, .escape) == [])
        #expect(state.inspection == nil)
    }

    @Test("A filter selects by a part of the name or of the address")
    func filter() {
        var state = InspectorState()
        for (number, name) in ["Lamp", "Lock"].enumerated() {
            let device = InspectorSamples.scanned(name, number)
            _ = state.handle(.scanned(device, isReport: true), at: 0)
        }
        func names() -> [String] { state.devices.matches(at: 0).map(\.scan.device.name) }
        state.type("/LOq")
        #expect(names() == [])
        state.press(.backspace, .enter)
        #expect(names() == ["Lock"])
        state.press(.escape)
        state.type("/:10")
        #expect(names() == ["Lamp"])
    }

    @Test("A filter that no device matches selects none")
    func filteredOut() {
        var state = InspectorState()
        let device = InspectorSamples.scanned("Lamp", 1)
        _ = state.handle(.scanned(device, isReport: true), at: 0)
        state.type("/x")
        #expect(state.press(.enter, .enter, .down) == [])
    }

    @Test("The device that advertises no more stays in the list as the last one")
    func silent() {
        var state = InspectorState()
        let strong = InspectorSamples.scanned("A", 1, rssi: -30)
        _ = state.handle(.scanned(strong, isReport: true), at: 0)
        let weak = InspectorSamples.scanned("B", 2, rssi: -90)
        _ = state.handle(.scanned(weak, isReport: true), at: 20)
        #expect(state.devices.matches(at: 20).map(\.scan.device.name) == ["B", "A"])
    }

    // MARK: Attributes

    @Test("Each key of an operation returns its action on the selected attribute")
    func operations() throws {
        var state = InspectorSamples.connected()
        let location = try Self.attribute(3, state)
        state.press(.down)
        #expect(state.type("n") == [.listen(InspectorSamples.measurement)])
        #expect(state.type("n") == [.endListen(InspectorSamples.measurement)])
        state.press(.down, .down)
        #expect(state.type("r") == [.read([location])])
        let configuration = try Self.attribute(2, state)
        #expect(state.type("R") == [.read([configuration, location])])
    }

    @Test(
        "An attribute without the property of an operation gets a message and no action",
        arguments: [
            (0, "r", "select a characteristic or a descriptor"),
            (1, "r", "2A37 Heart Rate Measurement cannot be read"),
            (3, "w", "2A38 Body Sensor Location cannot be written"),
            (2, "w", "2902 Client Characteristic Configuration cannot be written"),
            (3, "n", "2A38 Body Sensor Location does not notify"),
        ]
    )
    func refused(row: Int, key: String, text: String) {
        var state = InspectorSamples.connected()
        for _ in 0..<row { state.press(.down) }
        #expect(state.type(key) == [])
        #expect(state.message == .init(text: text, isFailure: true))
        #expect(state.dialog == nil)
    }

    @Test(
        "Operations without a connection get a message",
        arguments: ["r", "R", "w", "n", "p", "c"]
    )
    func withoutConnection(key: String) {
        var state = InspectorSamples.connected()
        state.press(.down)
        _ = state.handle(.disconnected(reason: "the link was lost"), at: 1)
        #expect(state.type(key) == [])
        #expect(state.message == .init(text: "not connected", isFailure: true))
    }

    @Test("After a lost connection, Enter connects again and values remain")
    func lost() throws {
        var state = InspectorSamples.connected()
        state.press(.down)
        state.type("n")
        _ = state.handle(.notified(InspectorSamples.measurement, Data([0, 61])), at: 1)
        _ = state.handle(.disconnected(reason: "the link was lost"), at: 2)
        #expect(state.press(.enter) == [.connect(InspectorSamples.sensor)])
        let services = InspectorSamples.services
        _ = state.handle(.connected(InspectorSamples.sensor, services, isPaired: false), at: 3)
        let attribute = try Self.attribute(1, state)
        let record = try #require(state.inspection?[attribute])
        #expect(record.newest?.data == Data([0, 61]))
        #expect(!record.isListening)
        #expect(state.inspection?.selectedIndex == 1)
    }

    @Test("The removal of the selected attribute closes its page")
    func removed() {
        var state = InspectorSamples.connected()
        state.press(.down, .enter)
        #expect(state.inspection?.showsAttribute == true)
        _ = state.handle(.servicesChanged([]), at: 1)
        #expect(state.inspection?.showsAttribute == false)
        #expect(state.press(.down, .up, .enter) == [])
        #expect(state.type("r") == [])
    }

    @Test("The value of a characteristic that the device no longer has is ignored")
    func lateValue() {
        var state = InspectorSamples.connected()
        _ = state.handle(.servicesChanged([]), at: 1)
        _ = state.handle(.notified(InspectorSamples.measurement, Data([0, 61])), at: 2)
        #expect(state.message == nil)
    }

    @Test("A failed read shows its reason until a read succeeds")
    func failedRead() throws {
        var state = InspectorSamples.connected()
        let location = try Self.attribute(3, state)
        let failure = ToolFailure("refused")
        _ = state.handle(.read(location, .failure(failure)), at: 1)
        #expect(state.message == .init(text: "refused", isFailure: true))
        #expect(state.inspection?[location].failure == failure)
        _ = state.handle(.read(location, .success(Data([1]))), at: 2)
        #expect(state.inspection?[location].failure == nil)
    }

    // MARK: Questions

    private static func asking() throws -> (InspectorState, ValueAttribute) {
        var state = InspectorSamples.connected()
        let point = try attribute(4, state)
        for _ in 0..<4 { state.press(.down) }
        state.type("w01")
        #expect(state.press(.enter) == [])
        return (state, point)
    }

    @Test("A write asks, and y writes")
    func write() throws {
        var (state, point) = try Self.asking()
        #expect(
            state.dialog?.question
                == "write 01 (1 byte) to 2A39 Heart Rate Control Point of Heart Rate Sensor? y/N"
        )
        #expect(state.type("y") == [.write(Data([1]), point)])
        #expect(state.dialog == nil)
    }

    @Test(
        "Every key but y declines a write",
        arguments: [
            TerminalKey.character("n"), .enter, .escape, .character(" "), .tab, .down, .other,
            .backspace,
        ]
    )
    func declined(key: TerminalKey) throws {
        var (state, _) = try Self.asking()
        #expect(state.press(key) == [])
        #expect(state.dialog == nil)
        #expect(state.message == .init(text: "nothing was written"))
    }

    @Test("An invalid value repeats the input with the reason, and Tab changes the format")
    func invalidValue() throws {
        var state = InspectorSamples.connected()
        for _ in 0..<4 { state.press(.down) }
        state.type("w1")
        #expect(state.press(.enter) == [])
        let text = "1 is not pairs of hexadecimal digits, such as 01ff; for text use --as text"
        #expect(state.message == .init(text: text, isFailure: true))
        state.press(.tab, .tab)
        #expect(state.dialog?.question == "value of 2A39 Heart Rate Control Point as uint8:")
        #expect(state.dialog?.input?.text == "1")
        state.press(.enter)
        let point = try Self.attribute(4, state)
        #expect(state.type("y") == [.write(Data([1]), point)])
    }

    @Test("The question for a long value shows its beginning and its length")
    func longValue() throws {
        var state = InspectorSamples.connected()
        for _ in 0..<4 { state.press(.down) }
        state.type("w" + String(repeating: "ab", count: 300))
        state.press(.enter)
        let digits = String(repeating: "ab", count: 20)
        #expect(state.dialog?.question.hasPrefix("write \(digits)… (300 bytes) to 2A39 ") == true)
    }

    @Test("A lost connection withdraws the question for a write")
    func lostQuestion() throws {
        var (state, _) = try Self.asking()
        _ = state.handle(.disconnected(reason: "the link was lost"), at: 1)
        #expect(state.type("y") == [])
    }

    @Test("Pairing asks first", arguments: [("y", [InspectorAction.pair]), ("n", [])])
    func pair(key: String, actions: [InspectorAction]) {
        var state = InspectorSamples.connected()
        #expect(state.type("p") == [])
        #expect(state.dialog?.question == "pair with Heart Rate Sensor? y/N")
        #expect(state.type(key) == actions)
    }

    @Test("A valid line answers a request of the pairing, and an invalid line repeats it")
    func passkey() {
        var state = InspectorSamples.connected()
        let prompt = PairingPrompt(.passkey, of: "Lock")
        _ = state.handle(.pairingRequested(7, prompt), at: 1)
        state.type("y")
        #expect(state.press(.enter) == [])
        #expect(state.message == .init(text: "invalid answer", isFailure: true))
        state.press(.backspace)
        state.type("123456")
        #expect(state.press(.enter) == [.reply(7, .passkey(123_456))])
        #expect(state.dialog == nil)
    }

    @Test("Escape rejects a request of the pairing, also one that displays a number")
    func rejected() {
        var state = InspectorSamples.connected()
        for request in [PairingRequest.passkey, .displayPasskey(42, entered: 0)] {
            _ = state.handle(.pairingRequested(8, PairingPrompt(request, of: "Lock")), at: 1)
            #expect(state.press(.escape) == [.reply(8, .reject)])
        }
    }

    @Test("The end of a request closes only its own dialog")
    func endedRequest() {
        var state = InspectorSamples.connected()
        let prompt = PairingPrompt(.passkey, of: "Lock")
        _ = state.handle(.pairingRequested(2, prompt), at: 1)
        _ = state.handle(.pairingRequestEnded(1), at: 2)
        #expect(state.dialog == .reply(2, prompt))
        _ = state.handle(.pairingRequestEnded(2), at: 3)
        #expect(state.dialog == nil)
    }

    // MARK: Recording

    @Test("A recording ends the listens, and c ends the recording")
    func recording() {
        var state = InspectorSamples.connected()
        state.press(.down)
        state.type("nc")
        #expect(state.press(.enter) == [])
        state.type("a.yaml")
        #expect(
            state.press(.enter) == [
                .endListen(InspectorSamples.measurement), .record(file: "a.yaml"),
            ]
        )
        #expect(state.type("n") == [])
        #expect(state.message?.text == "a recording is running; c ends it")
        #expect(state.type("c") == [.endRecording])
        _ = state.handle(.recordingEnded(.init(text: "a.yaml is written")), at: 9)
        #expect(state.inspection?.recordingFile == nil)
        #expect(state.message?.text == "a.yaml is written")
    }

    // MARK: Keys

    @Test("q and the end of the terminal quit, but a typed q does not")
    func quit() {
        var state = InspectorState()
        #expect(state.press(.endOfInput) == [.quit])
        state.type("/")
        #expect(state.type("q") == [])
        state.press(.enter)
        #expect(state.type("q") == [.quit])
    }

    @Test("The help closes at any key, which has no other effect")
    func help() {
        var state = InspectorState()
        state.type("?")
        #expect(state.showsHelp)
        #expect(state.type("q") == [])
        #expect(!state.showsHelp)
        #expect(state.press(.control("l"), .control("z")) == [.repaint, .suspend])
    }
}
