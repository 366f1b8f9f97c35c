internal import BluejayCore
internal import BluejayDBus
internal import BluejayGLib
internal import FoundationEssentials

/// A client's connection to the bus, which reopens with a growing delay, and the calls over it.
final class BusSession {
    enum Event {
        /// A connection was opened; the bus has not replied yet.
        case opened(BusConnection)
        /// The connection was lost, or could not be opened.
        case lost(BusError)
    }

    /// Receives the events; set once by the client.
    var onEvent: ((Event) -> Void)?
    private(set) var connection: BusConnection?
    private var connectionID = 0
    private var reopenTimer: ScheduledTimer?
    private var failureCount = 0
    /// Calls that could not be sent, until their failure is reported.
    private var pendingFailures: [Int: ScheduledTimer] = [:]
    private var lastFailureID = 0
    private let context: MainContext
    private let address: BusAddress
    private let clock: any EventClock

    static let backOff = Backoff(maximumDelay: .seconds(30))

    init(on context: MainContext, address: BusAddress, clock: any EventClock) {
        self.context = context
        self.address = address
        self.clock = clock
    }

    // MARK: The connection

    func open() {
        reopenTimer = nil
        failureCount += 1
        do throws(BusError) {
            let connection = try BusConnection(address, on: context, clock: clock, tap: messageTap)
            self.connection = connection
            connectionID += 1
            connection.onReady = { [weak self] in self?.failureCount = 0 }
            connection.onLost = { [weak self] in self?.connectionLost($0) }
            onEvent?(.opened(connection))
        } catch {
            connectionLost(error)
        }
    }

    private func connectionLost(_ error: BusError) {
        connection = nil
        onEvent?(.lost(error))
        let delay = Self.backOff.delay(afterFailures: failureCount + 1)
        reopenTimer = clock.schedule(after: delay) { [weak self] in self?.open() }
    }

    /// Traces the messages of a new connection, or nil while tracing is off.
    private var messageTap: BusConnection.Tap? {
        let observer = BusObserver.handler
        let log = Log("bluejay.dbus", to: nil)
        guard log.isTracing else { return observer }
        let tracer = BusTracer(log, clock: clock)
        return { message, isSent in
            tracer.trace(message, isSent: isSent)
            observer?(message, isSent)
        }
    }

    // MARK: Calls

    // Each call goes to the unique name of the bluetoothd that the client knows, and fails without one. A
    // bluetoothd that has started unnoticed would keep what the caller believes to be lost.

    func call(
        _ call: MethodCall,
        to daemon: String?,
        timeout: Duration,
        reply: @escaping (CallResult) -> Void
    ) -> BusCall {
        send(to: daemon, reply) { connection, name in
            var call = call
            call.destination = name
            return connection.call(call, timeout: timeout, reply: reply)
        }
    }

    func call(
        _ call: CallTemplate,
        to daemon: String?,
        timeout: Duration,
        reply: @escaping (ReplyResult) -> Void
    ) -> BusCall {
        send(to: daemon, reply) { $0.call(call, to: $1, timeout: timeout, reply: reply) }
    }

    func call(
        _ call: BytesCallTemplate,
        _ bytes: Data,
        to daemon: String?,
        timeout: Duration,
        reply: @escaping (ReplyResult) -> Void
    ) -> BusCall {
        send(to: daemon, reply) { $0.call(call, bytes, to: $1, timeout: timeout, reply: reply) }
    }

    func cancel(_ call: BusCall) {
        switch call.id {
        case .sent(let id, connectionID): connection?.cancel(id)
        case .sent: break
        case .failed(let id): pendingFailures[id] = nil
        }
    }

    private func send<Value>(
        to daemon: String?,
        _ reply: @escaping (Result<Value, BusError>) -> Void,
        _ send: (BusConnection, String) -> CallID
    ) -> BusCall {
        guard let connection else { return failLater(.disconnected, reply) }
        guard let daemon else { return failLater(.nameHasNoOwner, reply) }
        return BusCall(id: .sent(send(connection, daemon), connection: connectionID))
    }

    private func failLater<Value>(
        _ error: BusError,
        _ reply: @escaping (Result<Value, BusError>) -> Void
    ) -> BusCall {
        lastFailureID += 1
        let id = lastFailureID
        pendingFailures[id] = clock.schedule(after: .zero) { [weak self] in
            self?.pendingFailures[id] = nil
            reply(.failure(error))
        }
        return BusCall(id: .failed(id))
    }
}

/// A call to bluetoothd that may still be pending.
package struct BusCall {
    enum ID {
        /// Call IDs are unique within one connection only.
        case sent(CallID, connection: Int)
        case failed(Int)
    }

    let id: ID
}
