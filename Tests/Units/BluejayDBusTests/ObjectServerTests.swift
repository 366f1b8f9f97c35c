import TestSupport
import TestTraits
import Testing

@testable import BluejayDBus

/// A server with two objects below `/things`, and a client.
final class ServedThings {
    static let interface = "org.example.Thing"
    let fixture: BusFixture
    let client: BusConnection
    let connection: BusConnection
    let server: ObjectServer
    var level: UInt8 = 7
    var held: [MethodInvocation] = []

    init() throws {
        fixture = try BusFixture()
        client = try fixture.connect()
        connection = try fixture.connect()
        server = ObjectServer(connection)
        server.export([thing, BusInterface("org.example.Empty")], at: "/things/one")
        server.export([BusInterface("org.example.Empty")], at: "/things/one/part")
        server.export([BusInterface("org.example.Empty")], at: "/thing")
        server.exportManager(at: "/things")
    }

    private var thing: BusInterface {
        BusInterface(
            Self.interface,
            properties: [
                BusProperty("Name", "s", get: { .string("One") }),
                BusProperty(
                    "Level",
                    "y",
                    get: { [unowned self] in .byte(level) },
                    set: { [unowned self] value, call in
                        level = value.integer.flatMap { UInt8(exactly: $0) } ?? 0
                        call.reply()
                    }
                ),
                BusProperty("Absent", "s", get: { nil }),
            ],
            methods: [
                BusMethod("Add", inputSignature: "ii", outputSignature: "i") { call in
                    let sum = call.arguments.compactMap(\.integer).reduce(0, +)
                    call.reply([.int32(Int32(sum))])
                },
                BusMethod("Add", inputSignature: "s", outputSignature: "s") { call in
                    call.reply([.string((call.arguments[0].text ?? "") + "!")])
                },
                BusMethod("Hold") { [unowned self] in held.append($0) },
                BusMethod("Forget") { _ in },
                BusMethod("Twice", outputSignature: "y") { call in
                    call.reply([.byte(1)])
                    call.reply([.byte(2)])
                    call.fail("org.example.Error", "third")
                },
            ]
        )
    }

    func call(
        _ member: String,
        _ arguments: [BusValue] = [],
        interface: String = ServedThings.interface,
        path: ObjectPath = "/things/one"
    ) throws -> CallResult {
        let name = connection.uniqueName ?? ""
        return try fixture.result(
            client,
            MethodCall(to: name, at: path, interface, member, arguments)
        )
    }

    func property(_ member: String, _ arguments: [BusValue]) throws -> CallResult {
        try call(member, arguments, interface: ObjectServer.propertiesName)
    }
}

@Suite("Objects on the bus", .timeLimit(.minutes(15)))
struct ObjectServerTests {
    let things: ServedThings

    init() throws {
        things = try ServedThings()
    }

    private let interface = ServedThings.interface

    @Test("A method is selected by its name and the types of its arguments")
    func methods() throws {
        #expect(try things.call("Add", [.int32(2), .int32(3)]) == .success([.int32(5)]))
        #expect(try things.call("Add", [.string("a")]) == .success([.string("a!")]))
    }

    @Test(
        "A missing method or object fails with UnknownMethod or UnknownObject",
        .pitfall(.removedObjectErrors)
    )
    func unknown() throws {
        let text = "Method \"Add\" with signature \"y\" on interface \"org.example.Thing\" "
        let error = BusError(name: errorPrefix + "UnknownMethod", message: text + "doesn't exist\n")
        #expect(try things.call("Add", [.byte(1)]) == .failure(error))
        #expect(try things.call("No").errorName == errorPrefix + "UnknownMethod")
        let elsewhere = try things.call("Add", [.string("")], interface: "org.example.Empty")
        #expect(elsewhere.errorName == errorPrefix + "UnknownMethod")
        let nowhere = try things.call("Add", [.string("")], path: "/thing/else")
        #expect(nowhere.errorName == errorPrefix + "UnknownObject")
    }

    @Test("A caller without permission is refused for any call")
    func callers() throws {
        let denied = errorPrefix + "AccessDenied"
        let own = things.connection.uniqueName ?? ""
        things.server.isAllowed = { $0 == own }
        let all: [BusValue] = [.string(interface)]
        #expect(try things.call("Add", [.string("a")]).errorName == denied)
        #expect(try things.property("GetAll", all).errorName == denied)
        let manager = ObjectServer.managerName
        let managed = try things.call("GetManagedObjects", interface: manager, path: "/things")
        #expect(managed.errorName == denied)
        let client = things.client.uniqueName ?? ""
        things.server.isAllowed = { $0 == client }
        #expect(try things.call("Add", [.string("a")]) == .success([.string("a!")]))
    }

    @Test("Get returns one property in a variant")
    func get() throws {
        let get = { try things.property("Get", [.string($0), .string($1)]) }
        #expect(try get(interface, "Name") == .success([.variant(.string("One"))]))
        #expect(try get(interface, "Level") == .success([.variant(.byte(7))]))
        #expect(try get(interface, "Absent").errorName == errorPrefix + "InvalidArgs")
        #expect(try get(interface, "No").errorName == errorPrefix + "InvalidArgs")
        #expect(try get("org.example.No", "Name").errorName == errorPrefix + "InvalidArgs")
        let standard = try get("org.freedesktop.DBus.Properties", "Name")
        #expect(standard.errorName == errorPrefix + "InvalidArgs")
    }

    @Test("GetAll returns the properties that have a value, in order")
    func getAll() throws {
        let all = try things.property("GetAll", [.string(interface)])
        let expected: BusProperties = [("Name", .string("One")), ("Level", .byte(7))]
        #expect(all == .success([.properties(expected)]))
        let standard = try things.property("GetAll", [.string("org.freedesktop.DBus.Properties")])
        #expect(standard == .success([.properties([])]))
        let unknown = try things.property("GetAll", [.string("org.example.No")])
        #expect(unknown.errorName == errorPrefix + "InvalidArgs")
    }

    @Test("Set changes a writable property and rejects all others")
    func set() throws {
        func set(_ name: String, _ value: BusValue) throws -> String? {
            let arguments: [BusValue] = [.string(interface), .string(name), .variant(value)]
            return try things.property("Set", arguments).errorName
        }
        #expect(try set("Level", .byte(9)) == nil)
        #expect(things.level == 9)
        #expect(try set("Level", .uint16(1)) == errorPrefix + "InvalidSignature")
        #expect(try set("Name", .string("Two")) == errorPrefix + "PropertyReadOnly")
        #expect(try set("No", .byte(1)) == errorPrefix + "UnknownProperty")
        #expect(things.level == 9)
    }

    @Test("GetManagedObjects returns the objects below the manager, with the standard interfaces")
    func managedObjects() throws {
        let manager = "org.freedesktop.DBus.ObjectManager"
        func content(_ own: [(String, BusProperties)]) -> BusValue {
            let standard = ["Introspectable", "Properties"].map { "org.freedesktop.DBus." + $0 }
            let hasProperties = own.contains { !$0.1.isEmpty }
            let all = [(standard[0], [])] + own + (hasProperties ? [(standard[1], [])] : [])
            let entries = all.map { BusEntry(.string($0.0), .properties($0.1)) }
            return .dictionary(entries, key: "s", value: "a{sv}")
        }
        let one = content([
            (interface, [("Name", .string("One")), ("Level", .byte(7))]),
            ("org.example.Empty", []),
        ])
        let expected = BusValue.dictionary(
            [
                BusEntry(.objectPath("/things/one"), one),
                BusEntry(.objectPath("/things/one/part"), content([("org.example.Empty", [])])),
            ],
            key: "o",
            value: "a{sa{sv}}"
        )
        let all = try things.call("GetManagedObjects", interface: manager, path: "/things")
        #expect(all == .success([expected]))
        let elsewhere = try things.call("GetManagedObjects", interface: manager, path: "/thing")
        #expect(elsewhere.errorName == errorPrefix + "UnknownMethod")
        things.server.unexportManager(at: "/things")
        let ended = try things.call("GetManagedObjects", interface: manager, path: "/things")
        #expect(ended.errorName == errorPrefix + "UnknownMethod")
    }

    @Test("Introspect describes the interfaces of a path and names its children")
    func introspect() throws {
        let name = "org.freedesktop.DBus.Introspectable"
        func text(_ path: ObjectPath) throws -> String {
            try things.call("Introspect", interface: name, path: path).get().first?.text ?? ""
        }
        let one = try text("/things/one").split(separator: "\n").map(String.init)
        let begin = try #require(one.firstIndex(of: " <interface name=\"org.example.Thing\">"))
        #expect(
            one[begin...].prefix(9) == [
                " <interface name=\"org.example.Thing\">",
                "  <method name=\"Add\">",
                "   <arg type=\"i\" direction=\"in\"/>", "   <arg type=\"i\" direction=\"in\"/>",
                "   <arg type=\"i\" direction=\"out\"/>",
                "  </method>",
                "  <method name=\"Add\">",
                "   <arg type=\"s\" direction=\"in\"/>", "   <arg type=\"s\" direction=\"out\"/>",
            ]
        )
        #expect(one.contains("  <property name=\"Name\" type=\"s\" access=\"read\"/>"))
        #expect(one.contains("  <property name=\"Level\" type=\"y\" access=\"readwrite\"/>"))
        #expect(one.suffix(2) == [" <node name=\"part\"/>", "</node>"])
        let root = try text("/").split(separator: "\n").map(String.init)
        #expect(
            root.suffix(3) == [" <node name=\"things\"/>", " <node name=\"thing\"/>", "</node>"]
        )
        #expect(try text("/things").contains("GetManagedObjects"))
    }

    @Test(
        "A signature is split into its complete types",
        arguments: [
            ("", []), ("a{sv}s", ["a{sv}", "s"]), ("aay(i(ss))b", ["aay", "(i(ss))", "b"]),
        ]
    )
    func types(signature: String, expected: [String]) {
        #expect(Introspection.types(in: signature) == expected)
    }

    @Test("A call released without a reply fails with an error")
    func unanswered() throws {
        let error = BusError(name: errorPrefix + "Failed", message: "the call was not answered")
        #expect(try things.call("Forget") == .failure(error))
    }

    @Test("A call may be completed later, and only once")
    func answers() throws {
        #expect(try things.call("Twice") == .success([.byte(1)]))
        var results: [CallResult] = []
        let call = MethodCall(
            to: things.connection.uniqueName ?? "",
            at: "/things/one",
            interface,
            "Hold"
        )
        things.client.call(call, timeout: .seconds(5)) { results.append($0) }
        try things.fixture.loop.wait(for: "the call") { things.held.count == 1 }
        #expect(things.held[0].sender == things.client.uniqueName)
        try things.fixture.settle(things.connection, things.client)
        #expect(results == [])
        things.held[0].reply()
        things.held = []
        try things.fixture.settle(things.connection, things.client)
        #expect(results == [.success([])])
    }

    @Test("A reply after the end of the connection is discarded")
    func answerAfterClose() throws {
        let name = things.connection.uniqueName ?? ""
        let call = MethodCall(to: name, at: "/things/one", interface, "Hold")
        things.client.call(call, timeout: .seconds(5)) { _ in }
        try things.fixture.loop.wait(for: "the call") { things.held.count == 1 }
        things.connection.close()
        things.held[0].reply()
        things.held = []
    }

    @Test("Interfaces and objects can be unexported")
    func unexport() throws {
        things.server.unexport("/things/one", interfaces: [interface])
        let gone = try things.call("Add", [.string("")])
        #expect(gone.errorName == errorPrefix + "UnknownMethod")
        #expect(things.server.paths == ["/things/one", "/things/one/part", "/thing"])
        things.server.unexport("/things/one/part")
        things.server.unexport("/things/one")
        things.server.unexport("/things/one")
        #expect(things.server.paths == ["/thing"])
        let unknown = try things.call("Add", [.string("")])
        #expect(unknown.errorName == errorPrefix + "UnknownObject")
    }

    @Test("The three standard signals contain the changes")
    func signals() throws {
        var record: [[BusValue]] = []
        things.client.subscribe(MatchRule(sender: things.connection.uniqueName)) {
            record.append([.string($0.member ?? "")] + ((try? $0.arguments()) ?? []))
        }
        try things.fixture.settle(things.client)
        let server = things.server
        server.emitInterfacesAdded("/things/one", interfaces: [interface], manager: "/things")
        server.emitPropertiesChanged(
            "/things/one",
            interface,
            [("Level", .byte(8))],
            invalidated: ["Name"]
        )
        server.emitInterfacesRemoved("/things/one", interfaces: [interface], manager: "/things")
        try things.fixture.loop.wait(for: "the signals") { record.count == 3 }
        #expect(record[0][1] == .objectPath("/things/one"))
        let added = record[0][2].entries ?? []
        #expect(added.compactMap(\.key.text).contains(interface))
        #expect(!added.compactMap(\.key.text).contains("org.example.Empty"))
        #expect(
            record[1] == [
                .string("PropertiesChanged"), .string(interface),
                .properties([("Level", .byte(8))]), .strings(["Name"]),
            ]
        )
        #expect(
            record[2] == [
                .string("InterfacesRemoved"), .objectPath("/things/one"), .strings([interface]),
            ]
        )
    }

    @Test("Each object replies to a ping")
    func ping() throws {
        let peer = "org.freedesktop.DBus.Peer"
        #expect(try things.call("Ping", interface: peer) == .success([]))
    }
}
