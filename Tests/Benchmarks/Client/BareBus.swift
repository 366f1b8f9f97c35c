import BluejayDBus
import BluejayGLib
import Foundation

/// The same reads and notifications through the bus layer alone, a lower limit for the engine above it.
final class BareBus {
    private static let characteristic = "org.bluez.GattCharacteristic1"
    private static let device: ObjectPath = "/org/bluez/hci0/dev_C0_00_00_00_00_01"
    private static let value: ObjectPath =
        "/org/bluez/hci0/dev_C0_00_00_00_00_01/service0001/char0002"
    private static let notifier: ObjectPath =
        "/org/bluez/hci0/dev_C0_00_00_00_00_01/service0001/char0004"
    private static let control: ObjectPath =
        "/org/bluez/hci0/dev_C0_00_00_00_00_01/service0001/char0007"

    private let row: String
    private let count: Int
    private let connection: BusConnection
    private let readCall: CallTemplate
    private let writeCall: CallTemplate
    private let options: ValidatedValue
    private var done = 0

    init(_ row: String, _ count: Int) throws {
        self.row = row
        self.count = count
        connection = try BusConnection(.system, on: MainLoop.main.context)
        func call(_ member: String, _ arguments: [BusValue]) throws -> CallTemplate {
            try CallTemplate(
                MethodCall(to: "org.bluez", at: Self.value, Self.characteristic, member, arguments)
            )
        }
        readCall = try call("ReadValue", [.properties([])])
        writeCall = try call("WriteValue", [])
        options = try ValidatedValue(.properties([("type", .string("request"))]))
    }

    func start() {
        call(Self.device, "org.bluez.Device1", "Connect") { [self] in
            if row == "bus-notify" { return listen() }
            call(Self.value, Self.characteristic, "WriteValue", payload) { [self] in
                waitForStart()
                row == "bus-read" ? read() : write()
            }
        }
    }

    private var payload: [BusValue] {
        [.bytes(Array(0..<20)), .properties([("type", .string("request"))])]
    }

    private func call(
        _ path: ObjectPath,
        _ interface: String,
        _ member: String,
        _ arguments: [BusValue] = [],
        then: @escaping () -> Void
    ) {
        let call = MethodCall(to: "org.bluez", at: path, interface, member, arguments)
        connection.call(call, timeout: .seconds(60)) { result in
            guard case .success = result else { fail("\(member): \(result)") }
            then()
        }
    }

    private func read() {
        connection.call(readCall, timeout: .seconds(60)) { [self] result in
            guard case .success(let message) = result, message.reader.data()?.count == 20 else {
                fail("read: \(result)")
            }
            done += 1
            if done == count { exit(0) }
            read()
        }
    }

    private let bytes = Data(0..<20)

    private func write() {
        connection.call(
            writeCall,
            writing: { writer in
                writer.data(bytes)
                writer.append(options)
            },
            timeout: .seconds(60)
        ) { [self] result in
            guard case .success = result else { fail("write: \(result)") }
            done += 1
            if done == count { exit(0) }
            write()
        }
    }

    private func listen() {
        let rule = MatchRule(
            sender: "org.bluez",
            interface: "org.freedesktop.DBus.Properties",
            member: "PropertiesChanged",
            pathNamespace: "/org/bluez"
        )
        connection.subscribe(rule) { [self] in receive($0) }
        call(Self.notifier, Self.characteristic, "StartNotify") { [self] in
            waitForStart()
            var command = Array("N".utf8)
            command += [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: count >> $0) } + [20, 0]
            let arguments: [BusValue] = [.bytes(command), .properties([])]
            call(Self.control, Self.characteristic, "WriteValue", arguments) {}
        }
    }

    private func receive(_ message: BusMessage) {
        var arguments = message.reader
        guard message.hasPath(Self.notifier), arguments.isString(Self.characteristic),
            arguments.next(), var changed = arguments.enter(), var entry = changed.enter(),
            !changed.next(), entry.isString("Value"), entry.next(), entry.openVariant(),
            let data = entry.data(), data.count == 20
        else { return }
        done += 1
        if done == count { exit(0) }
    }
}
