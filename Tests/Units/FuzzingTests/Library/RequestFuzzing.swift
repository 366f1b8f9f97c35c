import BluejayCore
import BluejayGLib
import Foundation
import Glibc

@testable import BluejayBlueZ
@testable import BluejayDBus

/// Feeds calls of bluetoothd to the objects of the server and of the pairing agent.
enum RequestFuzzing {
    static func play(_ input: inout FuzzInput) throws {
        let arguments = input.requestArguments()
        let call = MethodCall(to: "a.b", at: "/a", "a.b", "C", arguments)
        guard let message = try? BusMessage.methodCall(call) else { return }
        // Nobody reads a reply.
        message.setNoReplyExpected()
        let connection = try SilentBus.connect()
        let invocation = MethodInvocation(message, on: connection)
        switch message.signature {
        case "a{sv}":
            try check(AttributeRequest(read: invocation), arguments[0])
            try check(AcquireNotifyRequest(invocation))
        case "aya{sv}":
            let request = AttributeRequest(write: invocation)
            try check(request, arguments[1])
            try expect(
                arguments[0].bytes.map { Data($0) } == request.value,
                "\(arguments[0]) is written as \(request.value)"
            )
        default: break
        }
        for method in agent.methods where method.inputSignature == message.signature {
            method.handle(invocation)
        }
        connection.close()
    }

    private static func check(_ request: AttributeRequest, _ options: BusValue) throws {
        try expect((0...0xFFFF).contains(request.offset), "the offset is \(request.offset)")
        try expect(request.mtu.map { $0 >= 23 } ?? true, "the MTU is \(request.mtu ?? 0)")
        let devices = options.entries?.filter { $0.key.text == "device" }.map(\.value.path) ?? []
        try expect(
            request.device == nil || devices.contains(request.device),
            "\(devices) is \(String(describing: request.device))"
        )
    }

    private static func check(_ request: AcquireNotifyRequest) throws {
        try expect(request.mtu.map { $0 >= 23 } ?? true, "the MTU is \(request.mtu ?? 0)")
    }

    private static var agent: BusInterface {
        let handlers = Agent1.Handlers(
            requested: { request, _, call in
                if let digits = request.digits, case .displayPinCode = request {
                    _ = digits
                } else if let digits = request.digits {
                    precondition(digits.count == 6, "\(digits) is not a passkey")
                }
                Agent1.reply(.accepted, to: call)
            },
            cancelled: {},
            released: {}
        )
        return Agent1.busInterface(isDaemon: { _ in true }, handlers)
    }
}

extension FuzzInput {
    /// The arguments of a request, mostly those that BlueZ documents.
    fileprivate mutating func requestArguments() -> [BusValue] {
        let options = ["device", "mtu", "offset", "prepare-authorize", "link", "type"]
        func properties() -> BusValue {
            .properties(
                (0..<number(below: 6)).map { _ in
                    let name = choice(of: options)
                    switch (number(below: 4), name) {
                    case (0, _): return (name, value())
                    case (_, "device"): return (name, .objectPath(choice(of: BlueZFuzzing.devices)))
                    case (_, "mtu"), (_, "offset"): return (name, .uint16(integer()))
                    case (_, "prepare-authorize"): return (name, .boolean(flag()))
                    default: return (name, .string(text()))
                    }
                }
            )
        }
        let device = BusValue.objectPath(choice(of: BlueZFuzzing.devices))
        switch number(below: 7) {
        case 0: return [properties()]
        case 1: return [.bytes([UInt8](bytes())), properties()]
        case 2: return [device]
        case 3: return [device, .uint32(integer())]
        case 4: return [device, .uint32(integer()), .uint16(integer())]
        case 5: return [device, .string(text())]
        default: return (0..<number(below: 4)).map { _ in value() }
        }
    }
}

/// A socket that accepts connections to a bus and reads nothing.
private enum SilentBus {
    private static let name = "bluejay-fuzzing-\(getpid())"

    private static let listener: Int32 = {
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // The first byte of an abstract name is 0.
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { path in
            for (index, byte) in name.utf8.enumerated() { unsafe path[index + 1] = byte }
        }
        let length = MemoryLayout<sa_family_t>.size + 1 + name.utf8.count
        let bound = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(listener, $0, socklen_t(length))
            }
        }
        precondition(bound == 0 && listen(listener, 1) == 0, "no socket for a bus")
        return listener
    }()

    static func connect() throws -> BusConnection {
        let listener = Self.listener
        let address = BusAddress.address("unix:abstract=\(name)")
        let connection = try BusConnection(address, on: MainContext())
        close(accept(listener, nil, nil))
        return connection
    }
}
