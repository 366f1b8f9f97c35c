import BluejayDBus
import BluejayGLib
import BluejaySimulator

/// A client of `org.bluez` that shares nothing with the library: it makes calls, and writes down what
/// comes in the order in which it comes, in the words of the recordings.
///
/// Everything but the address is used on its own context only.
final class BusClient: @unchecked Swift.Sendable {
    let context = MainContext()
    private let address: String
    private var connection: BusConnection?
    private(set) var server: ObjectServer?
    private var lines: [String] = []
    private var waiters: [(text: String, continuation: CheckedContinuation<Void, Never>)] = []

    /// Opens a connection and hears every signal of `org.bluez`.
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
            // Its answer says that the rule above is in force.
            let call = MethodCall("org.bluez", "/org/bluez", peer, "Ping")
            connection.call(call, timeout: .seconds(10)) { _ in continuation.resume() }
        } catch {
            continuation.resume(throwing: error)
        }
    }

    private let peer = "org.freedesktop.DBus.Peer"

    deinit {
        // The last owner may be anywhere; the connection ends on its own context.
        let parts = Parts(connection: connection, server: server)
        context.post { parts.connection?.close() }
        context.quit()
    }

    private struct Parts: @unchecked Swift.Sendable {
        let connection: BusConnection?
        let server: ObjectServer?
    }

    /// Leaves the bus.
    func leave() async {
        await run { $0.connection?.close() }
    }

    /// Does something on the context.
    func run(_ work: @escaping @Sendable (BusClient) -> Void) async {
        await withCheckedContinuation { continuation in
            context.post {
                work(self)
                continuation.resume()
            }
        }
    }

    // MARK: Calls

    /// Calls a method and notes the call and its answer.
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

    /// Makes a call without waiting; its answer is noted.
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
        let call = MethodCall("org.bluez", path, "org.bluez." + interface, member, arguments)
        connection.call(call, timeout: .seconds(30)) { [weak self] result in
            switch result {
            case .success: self?.note("ret \(member)")
            case .failure(let error):
                self?.note("ERR \(member) \(error.name) \"\(error.message)\"")
            }
            reply(result)
        }
    }

    /// The value of a property; nil when the object does not have it.
    func property(_ path: String, _ interface: String, _ name: String) async -> BusValue? {
        let result = await silentCall(
            path,
            "org.freedesktop.DBus.Properties",
            "Get",
            [.string("org.bluez." + interface), .string(name)]
        )
        return (try? result.get())?.first?.unwrapped
    }

    /// Sets a property, noting it as a call.
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

    /// The paths of all objects.
    func objects() async -> [String] {
        let manager = "org.freedesktop.DBus.ObjectManager"
        let result = await silentCall("/", manager, "GetManagedObjects", [])
        return ((try? result.get())?.first?.entries ?? []).compactMap { $0.key.path?.text }
    }

    /// Who has a name on the bus; nil when nobody has.
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
                let call = MethodCall(destination, path, interface, member, arguments)
                connection.call(call, timeout: .seconds(30)) { [weak self] result in
                    if let name { self?.note("ret \(name)") }
                    continuation.resume(returning: result)
                }
            }
        }
    }

    /// Sends a signal of an own object, with whatever arguments.
    func emit(
        _ path: ObjectPath,
        _ interface: String,
        _ member: String,
        _ arguments: [BusValue]
    ) async {
        await run { try? $0.connection?.emit(path, interface, member, arguments) }
    }

    // MARK: The record

    /// What was noted since the last call of this.
    func taken() async -> [String] {
        await withCheckedContinuation { continuation in
            context.post {
                let lines = self.lines
                self.lines = []
                continuation.resume(returning: lines)
            }
        }
    }

    /// Waits until a line begins with the text, or returns at once when one did.
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

    /// Notes something; on the context only.
    func note(_ line: String) {
        lines.append(line)
        let ready = waiters.filter { line.hasPrefix($0.text) }
        waiters.removeAll { line.hasPrefix($0.text) }
        for waiter in ready { waiter.continuation.resume() }
    }
}

/// Writes messages down as the recordings do: `~` is the path of a device on hci0.
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
            // An object that comes or goes whole has the standard ones; else the names are told.
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
