internal import BluejayBlueZ
internal import BluejayDBus
internal import BluejayGLib
internal import FoundationEssentials
internal import Glibc

/// Receives the calls of all programs to bluetoothd, and the replies.
///
/// The monitor has two connections on its own thread, because a monitor cannot make calls. Only closures that
/// are posted there use the connections: the invariant behind `@unchecked`.
final class ProgramMonitor: @unchecked Swift.Sendable {
    typealias Receiver = @Sendable (TraceEvent.Fact) -> Void

    private static let rules = [
        "type='method_call',destination='\(BlueZ.service)'",
        "type='method_return',sender='\(BlueZ.service)'",
        "type='error',sender='\(BlueZ.service)'",
    ]
    private static let bus = "org.freedesktop.DBus"
    /// The time limit for the permission of the bus.
    private static let timeout = Duration.seconds(2)

    private let context: MainContext
    private let receive: Receiver
    private var monitorConnection: BusConnection?
    private var queryConnection: BusConnection?
    private var completion: ((Bool) -> Void)?
    private var timeoutTimer: ScheduledTimer?
    private var callers: Set<String> = []

    private init(_ context: MainContext, _ receive: @escaping Receiver) {
        self.context = context
        self.receive = receive
    }

    /// Starts to monitor the system bus.
    ///
    /// - Parameter receive: Called with each fact, on the thread of the monitor.
    /// - Returns: The monitor, or `nil` if the bus does not permit it.
    static func start(_ receive: @escaping Receiver) async -> ProgramMonitor? {
        guard mayMonitor else { return nil }
        let context = MainContext()
        context.startThread(named: "bus monitor")
        let monitor = ProgramMonitor(context, receive)
        let isPermitted = await withCheckedContinuation { continuation in
            context.post { monitor.start { continuation.resume(returning: $0) } }
        }
        guard isPermitted else {
            monitor.close()
            return nil
        }
        return monitor
    }

    /// Whether the bus is likely to permit monitoring.
    ///
    /// The system bus permits it to root only, and logs each refusal. A private bus permits it to its user.
    private static var mayMonitor: Bool {
        let address = ProcessInfo.processInfo.environment["DBUS_SYSTEM_BUS_ADDRESS"] ?? ""
        return geteuid() == 0 || !address.isEmpty
    }

    func close() {
        context.post { [self] in closeConnections() }
        context.quit()
    }

    private func start(_ completion: @escaping (Bool) -> Void) {
        self.completion = completion
        do throws(BusError) {
            let monitorConnection = try BusConnection(.system, on: context)
            let queryConnection = try BusConnection(.system, on: context)
            self.monitorConnection = monitorConnection
            self.queryConnection = queryConnection
            monitorConnection.onLost = { [weak self] _ in self?.complete(false) }
            queryConnection.onLost = { [weak self] _ in self?.complete(false) }
            monitorConnection.onReady = { [weak self] in self?.becomeMonitor() }
            timeoutTimer = monitorConnection.clock.schedule(after: Self.timeout) { [weak self] in
                self?.complete(false)
            }
        } catch {
            complete(false)
        }
    }

    private func complete(_ isPermitted: Bool) {
        let completion = completion
        self.completion = nil
        timeoutTimer = nil
        completion?(isPermitted)
    }

    private func closeConnections() {
        timeoutTimer = nil
        monitorConnection?.close()
        queryConnection?.close()
    }

    private func becomeMonitor() {
        monitorConnection?.messageFilter = { [weak self] in self?.received($0) ?? true }
        let call = MethodCall(
            to: Self.bus,
            at: "/org/freedesktop/DBus",
            Self.bus + ".Monitoring",
            "BecomeMonitor",
            [.strings(Self.rules), .uint32(0)]
        )
        monitorConnection?.call(call, timeout: Self.timeout) { [weak self] result in
            if case .success = result { self?.complete(true) } else { self?.complete(false) }
        }
    }

    /// Consumes the messages of other connections; the bus disconnects a monitor that replies to one.
    private func received(_ message: BusMessage) -> Bool {
        guard message.destination != monitorConnection?.uniqueName,
            message.interface != Self.bus + ".Local"
        else { return false }
        switch message.kind {
        case .methodCall where message.expectsReply:
            guard let caller = message.sender else { return true }
            identify(caller)
            let id = BusCall.ID(caller: caller, serial: message.serial)
            receive(.called(MessageParser.call(message, id, false)))
        case .methodReturn, .error:
            let id = BusCall.ID(caller: message.destination, serial: message.replySerial)
            receive(.replied(id, error: MessageParser.error(message)))
        case .methodCall, .signal: break
        }
        return true
    }

    private func identify(_ caller: String) {
        guard callers.insert(caller).inserted else { return }
        let member = "GetConnectionUnixProcessID"
        let call = MethodCall(
            to: Self.bus,
            at: "/org/freedesktop/DBus",
            Self.bus,
            member,
            [.string(caller)]
        )
        queryConnection?.call(call) { [receive] result in
            // The connection may have ended already.
            guard let process = (try? result.get())?.first?.integer else { return }
            let name = try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8)
            guard let name = name?.split(separator: "\n").first else { return }
            receive(.identified(busName: caller, program: "\(name) (\(process))"))
        }
    }
}
