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
    private var connectionNumber = 0
    private var reopening: ScheduledTimer?
    private var failureCount = 0
    /// Calls without a connection, until their failure is reported.
    private var refusals: [Int: ScheduledTimer] = [:]
    private var lastRefusal = 0
    private let context: MainContext
    private let address: BusAddress
    private let clock: any EventClock

    static let backOff = BackOff(longest: .seconds(30))

    init(on context: MainContext, address: BusAddress, clock: any EventClock) {
        self.context = context
        self.address = address
        self.clock = clock
    }

    // MARK: The connection

    func open() {
        reopening = nil
        failureCount += 1
        do throws(BusError) {
            let connection = try BusConnection(address, on: context, clock: clock, tap: tap)
            self.connection = connection
            connectionNumber += 1
            connection.onReady = { [weak self] in self?.failureCount = 0 }
            connection.onLost = { [weak self] in self?.lost($0) }
            onEvent?(.opened(connection))
        } catch {
            lost(error)
        }
    }

    private func lost(_ error: BusError) {
        connection = nil
        onEvent?(.lost(error))
        let delay = Self.backOff.pause(after: failureCount + 1)
        reopening = clock.schedule(after: delay) { [weak self] in self?.open() }
    }

    /// Traces the messages of a new connection, or nil while tracing is off.
    private var tap: BusConnection.Tap? {
        let log = Log("bluejay.dbus", to: nil)
        guard log.isTracing else { return nil }
        let tracer = BusTracer(log, clock: clock)
        return { tracer.note($0, isSent: $1) }
    }

    // MARK: Calls

    func call(
        _ call: MethodCall,
        timeout: Duration,
        reply: @escaping (CallResult) -> Void
    ) -> BusCall {
        guard let connection else { return refuse { reply(.failure($0)) } }
        return sent(connection.call(call, timeout: timeout, reply: reply))
    }

    func call(
        _ call: CallTemplate,
        timeout: Duration,
        reply: @escaping (ReplyResult) -> Void
    ) -> BusCall {
        guard let connection else { return refuse { reply(.failure($0)) } }
        return sent(connection.call(call, timeout: timeout, reply: reply))
    }

    func call(
        _ call: BytesCallTemplate,
        _ bytes: Data,
        timeout: Duration,
        reply: @escaping (ReplyResult) -> Void
    ) -> BusCall {
        guard let connection else { return refuse { reply(.failure($0)) } }
        return sent(connection.call(call, bytes, timeout: timeout, reply: reply))
    }

    func cancel(_ call: BusCall) {
        switch call.id {
        case .sent(let id, connectionNumber): connection?.cancel(id)
        case .sent: break
        case .refused(let id): refusals[id] = nil
        }
    }

    private func sent(_ id: CallID) -> BusCall {
        BusCall(id: .sent(id, connection: connectionNumber))
    }

    private func refuse(_ reply: @escaping (BusError) -> Void) -> BusCall {
        lastRefusal += 1
        let id = lastRefusal
        refusals[id] = clock.schedule(after: .zero) { [weak self] in
            self?.refusals[id] = nil
            reply(.disconnected)
        }
        return BusCall(id: .refused(id))
    }
}
