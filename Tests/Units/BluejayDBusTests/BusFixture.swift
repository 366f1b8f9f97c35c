import BluejayGLib
import TestSupport

@testable import BluejayDBus

/// A separate bus, with connections whose time stands still.
final class BusFixture {
    let loop = TestLoop()
    let bus: TestBus

    init(rules: String = "") throws {
        bus = try TestBus(loop, rules: rules)
    }

    /// Returns a connection with its unique name.
    func connect() throws -> BusConnection {
        let connection = try open()
        try loop.wait(for: "the unique name") { connection.uniqueName != nil }
        return connection
    }

    /// Returns a connection to which the bus has not replied yet.
    func open() throws -> BusConnection {
        try BusConnection(.address(bus.address), on: loop.context, clock: loop.clock)
    }

    /// Returns a connection that replies to every call with its arguments.
    func connectEcho() throws -> BusConnection {
        let connection = try connect()
        connection.onMethodCall = { [unowned connection] message in
            guard let arguments = try? message.arguments() else { return false }
            MethodInvocation(message, on: connection).reply(arguments)
            return true
        }
        return connection
    }

    func result(_ connection: BusConnection, _ call: MethodCall) throws -> CallResult {
        var result: CallResult?
        connection.call(call, timeout: .seconds(25)) { result = $0 }
        try loop.wait(for: "the reply to \(call.member)") { result != nil }
        return result ?? .failure(.noReply)
    }

    /// Waits until the bus and the connections have handled each other's messages.
    func settle(_ connections: BusConnection...) throws {
        for connection in connections {
            _ = try result(connection, .bus("GetId"))
        }
    }
}

extension MethodCall {
    /// Returns a call of the bus itself.
    static func bus(_ member: String, _ arguments: [BusValue] = []) -> MethodCall {
        let bus = "org.freedesktop.DBus"
        return MethodCall(to: bus, at: "/org/freedesktop/DBus", bus, member, arguments)
    }

    /// Returns a call of a test's own object.
    static func test(
        _ destination: BusConnection,
        _ member: String = "Do",
        _ arguments: [BusValue] = [],
        path: ObjectPath = "/test"
    ) -> MethodCall {
        MethodCall(
            to: destination.uniqueName ?? "",
            at: path,
            "org.example.Test",
            member,
            arguments
        )
    }
}

extension Result where Success == [BusValue], Failure == BusError {
    var errorName: String? {
        if case .failure(let error) = self { return error.name }
        return nil
    }
}

let errorPrefix = "org.freedesktop.DBus.Error."
