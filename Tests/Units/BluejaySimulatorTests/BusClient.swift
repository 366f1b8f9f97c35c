import BluejayDBus
import BluejayGLib
import BluejaySimulator

/// A client of `org.bluez` that is independent of the library: it makes calls, and records messages in the
/// order of their arrival, in the notation of the recordings.
///
/// Everything except the address is used on its own context only.
final class BusClient: @unchecked Swift.Sendable {
    let context = MainContext()
    private let address: String
    private var connection: BusConnection?
    private(set) var server: ObjectServer?
    private var lines: [String] = []
    private var waiters: [(text: String, continuation: CheckedContinuation<Void, Never>)] = []

    /// Opens a connection and subscribes to every signal of `org.bluez`.
    init(_ address: String) async throws {
        self.address = address
        context.startThread(named: "client")
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Void, any Error>) in
            context.post { self.open(continuation) }
        }
    }

    private func open(_ continuation: CheckedContinuation<Void, any Error>) {
        do {
            let connection = try BusConnection(.address(address), on: context)
            self.connection = connection
            server = ObjectServer(connection)
            connection.subscribe(MatchRule(sender: "org.bluez")) { [weak self] message in
                guard message.sender != "org.freedesktop.DBus" else { return }
                self?.note(Recording.line(of: message))
            }
            // The reply means that the rule above is in force.
            let call = MethodCall(to: "org.bluez", at: "/org/bluez", peer, "Ping")
            connection.call(call, timeout: .seconds(10)) { _ in continuation.resume() }
        } catch {
            continuation.resume(throwing: error)
        }
    }

    private let peer = "org.freedesktop.DBus.Peer"

    deinit {
        // The last owner may be on any thread; the connection ends on its own context.
        let parts = Parts(connection: connection, server: server)
        context.post { parts.connection?.close() }
        context.quit()
    }

    private struct Parts: @unchecked Swift.Sendable {
        let connection: BusConnection?
        let server: ObjectServer?
    }

    func leave() async {
        await run { $0.connection?.close() }
    }

    func run(_ work: @escaping @Sendable (BusClient) -> Void) async {
        await withCheckedContinuation { continuation in
            context.post {
                work(self)
                continuation.resume()
            }
        }
    }

    // MARK: Calls

    @discardableResult
    func call(
        _ path: String,
        _ interface: String,
        _ member: String,
        _ arguments: [BusValue] = []
    ) async -> CallResult {
        await withCheckedContinuation { continuation in
            context.post {
                self.begin(path, interface, member, arguments) {
                    continuation.resume(returning: $0)
                }
            }
        }
    }

    /// Makes a call without waiting; its reply is recorded.
    func start(
        _ path: String,
        _ interface: String,
        _ member: String,
        _ arguments: [BusValue] = []
    ) async {
        await run { $0.begin(path, interface, member, arguments) { _ in } }
    }

    private func begin(
        _ path: String,
        _ interface: String,
        _ member: String,
        _ arguments: [BusValue],
        _ reply: @escaping (CallResult) -> Void
    ) {
        guard let path = ObjectPath(path), let connection else { return }
        note("call \(member)")
        let call = MethodCall(
            to: "org.bluez",
            at: path,
            "org.bluez." + interface,
            member,
            arguments
        )
        connection.call(call, timeout: .seconds(30)) { [weak self] result in
            switch result {
            case .success: self?.note("ret \(member)")
            case .failure(let error):
                self?.note("ERR \(member) \(error.name) \"\(error.message)\"")
            }
            reply(result)
        }
    }

    /// Returns the value of a property; `nil` if the object lacks it.
    func property(_ path: String, _ interface: String, _ name: String) async -> BusValue? {
        let result = await silentCall(
            path,
            "org.freedesktop.DBus.Properties",
            "Get",
            [.string("org.bluez." + interface), .string(name)]
        )
        return (try? result.get())?.first?.unwrapped
    }

    @discardableResult
    func set(
        _ path: String,
        _ interface: String,
        _ name: String,
        _ value: BusValue
    ) async -> CallResult {
        await run { $0.note("call Set") }
        let arguments: [BusValue] = [
            .string("org.bluez." + interface), .string(name), .variant(value),
        ]
        let properties = "org.freedesktop.DBus.Properties"
        return await silentCall(path, properties, "Set", arguments, note: "Set")
    }

    func objects() async -> [String] {
        let manager = "org.freedesktop.DBus.ObjectManager"
        let result = await silentCall("/", manager, "GetManagedObjects", [])
        return ((try? result.get())?.first?.entries ?? []).compactMap { $0.key.path?.text }
    }

    /// Returns the owner of a name on the bus, or `nil`.
    func owner(_ name: String) async -> String? {
        let bus = "org.freedesktop.DBus"
        let result = await silentCall(
            "/org/freedesktop/DBus",
            bus,
            "GetNameOwner",
            [.string(name)],
            destination: bus
        )
        return (try? result.get())?.first?.text
    }

    private func silentCall(
        _ path: String,
        _ interface: String,
        _ member: String,
        _ arguments: [BusValue],
        note name: String? = nil,
        destination: String = "org.bluez"
    ) async -> CallResult {
        await withCheckedContinuation { continuation in
            context.post {
                guard let path = ObjectPath(path), let connection = self.connection else {
                    return continuation.resume(returning: .failure(.disconnected))
                }
                let call = MethodCall(to: destination, at: path, interface, member, arguments)
                connection.call(call, timeout: .seconds(30)) { [weak self] result in
                    if let name { self?.note("ret \(name)") }
                    continuation.resume(returning: result)
                }
            }
        }
    }

    /// Emits a signal of an own object, with any arguments.
    func emit(
        _ path: ObjectPath,
        _ interface: String,
        _ member: String,
        _ arguments: [BusValue]
    ) async {
        await run { try? $0.connection?.emit(path, interface, member, arguments) }
    }

    // MARK: The record

    /// Returns the lines since the previous call of this method.
    func taken() async -> [String] {
        await withCheckedContinuation { continuation in
            context.post {
                let lines = self.lines
                self.lines = []
                continuation.resume(returning: lines)
            }
        }
    }

    /// Waits until the record has a line with this prefix.
    func wait(for text: String) async {
        await withCheckedContinuation { continuation in
            context.post {
                if self.lines.contains(where: { $0.hasPrefix(text) }) {
                    return continuation.resume()
                }
                self.waiters.append((text, continuation))
            }
        }
    }

    /// Adds a line to the record; on the context only.
    func note(_ line: String) {
        lines.append(line)
        let ready = waiters.filter { line.hasPrefix($0.text) }
        waiters.removeAll { line.hasPrefix($0.text) }
        for waiter in ready { waiter.continuation.resume() }
    }
}

/// Formats messages as in the recordings: `~` is the path of a device on hci0.
enum Recording {
    static func line(of message: BusMessage) -> String {
        let arguments = (try? message.arguments()) ?? []
        let member = message.member ?? ""
        switch member {
        case "PropertiesChanged" where arguments.count == 3:
            let changed = (arguments[1].entries ?? []).map { entry in
                "\(entry.key.text ?? "") \(text(of: entry.value))"
            }
            let lost = (arguments[2].texts ?? []).joined(separator: " ")
            let path = short(message.path?.text ?? "")
            return "SIG \(path) [\(changed.joined(separator: "; "))] [\(lost)]"
        case "InterfacesAdded", "InterfacesRemoved":
            let added = arguments.last?.entries?.compactMap(\.key.text)
            let names = added ?? arguments.last?.texts ?? []
            // A complete object has the standard interfaces; otherwise the names are written.
            let isPart = !names.contains("org.freedesktop.DBus.Introspectable")
            let path = short(arguments.first?.path?.text ?? "")
            return ([member, path] + (isPart ? names : [])).joined(separator: " ")
        default:
            let texts = arguments.map { text(of: $0) }.joined(separator: " ")
            return "SIG \(short(message.path?.text ?? "")) \(member) \(texts)"
        }
    }

    static func short(_ path: String) -> String {
        path.replacing("/org/bluez/hci0/dev_", with: "~").replacing("/org/bluez/", with: "")
    }

    static func text(of value: BusValue) -> String {
        switch value {
        case .variant(let inner): text(of: inner)
        case .boolean(let value): "\(value)"
        case .string(let text): "\"\(text)\""
        case .objectPath(let path): short(path.text)
        case .bytes(let bytes): "<\(hexadecimal(bytes))>"
        case .array(let elements, _): "[\(elements.map { text(of: $0) }.joined(separator: " "))]"
        case .dictionary(let entries, _, _):
            "[\(entries.map { "\(text(of: $0.key)) \(text(of: $0.value))" }.joined(separator: "; "))]"
        default: value.integer.map { "\($0)" } ?? "?"
        }
    }

    static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
    }
}
