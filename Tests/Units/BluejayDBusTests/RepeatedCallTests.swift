import FoundationEssentials
import TestSupport
import Testing

@testable import BluejayDBus

@Suite("Caches between calls", .timeLimit(.minutes(15)))
struct RepeatedCallTests {
    private let things: ServedThings
    private let fixture: BusFixture

    init() throws {
        things = try ServedThings()
        fixture = things.fixture
    }

    @Test("Each of several callers receives the replies to its own calls, in any order")
    func callers() throws {
        let other = try fixture.connect()
        var record: [String] = []
        for (name, client) in [("one", things.client), ("two", other), ("one", things.client)] {
            let number = things.held.count
            let call = MethodCall(
                to: things.connection.uniqueName ?? "",
                at: "/things/one",
                ServedThings.interface,
                "Hold"
            )
            client.call(call, timeout: .seconds(5)) { record.append("\(name) \(number): \($0)") }
            try fixture.loop.wait(for: "the call") { things.held.count == number + 1 }
        }
        for number in [1, 2, 0] {
            things.held[number].reply([.byte(UInt8(number))])
            try fixture.loop.wait(for: "the answer") {
                record.last?.contains(" \(number):") == true
            }
        }
        func answer(_ number: UInt8) -> String { "\(CallResult.success([.byte(number)]))" }
        #expect(
            record == ["two 1: \(answer(1))", "one 2: \(answer(2))", "one 0: \(answer(0))"]
        )
    }

    @Test("A call reflects objects exported and unexported since the previous call")
    func changes() throws {
        let interface = ServedThings.interface
        func adds() throws -> CallResult { try things.call("Add", [.string("a")]) }
        #expect(try adds() == .success([.string("a!")]))
        things.server.unexport("/things/one", interfaces: [interface])
        #expect(try adds().errorName == errorPrefix + "UnknownMethod")
        let again = BusMethod("Add", inputSignature: "s", outputSignature: "s") {
            $0.reply([.string("again")])
        }
        things.server.export([BusInterface(interface, methods: [again])], at: "/things/one")
        #expect(try adds() == .success([.string("again")]))
        things.server.unexport("/things/one/part")
        things.server.unexport("/things/one")
        #expect(try adds().errorName == errorPrefix + "UnknownObject")
    }

    @Test("A signal from a template equals a newly built one, for each value")
    func change() throws {
        var record: [[BusValue]] = []
        things.client.subscribe(MatchRule(sender: things.connection.uniqueName)) { message in
            let names = [message.path?.text, message.interface, message.member]
            record.append(
                names.map { .string($0 ?? "") } + ((try? message.arguments()) ?? [])
            )
        }
        try fixture.settle(things.client)
        let change = try PropertiesChangedTemplate("/things/one", "org.example.Thing", "Value")
        let values: [[UInt8]] = [[1, 2, 3], [], [UInt8](repeating: 7, count: 512)]
        for value in values {
            things.server.emit(change, Data(value))
            things.server.emitPropertiesChanged(
                "/things/one",
                "org.example.Thing",
                [("Value", .bytes(value))]
            )
        }
        try fixture.loop.wait(for: "the signals") { record.count == 6 }
        for index in values.indices { #expect(record[2 * index] == record[2 * index + 1]) }
        #expect(record[4].contains(.properties([("Value", .bytes(values[2]))])))
    }
}
