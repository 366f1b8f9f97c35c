internal import BluejayGLib

/// The client side of the Attribute Protocol on one link: sends requests in order, a few at a time.
///
/// If a request has no answer after 30 s, all requests fail and the link is dropped.
final class ATTClient {
    private struct Entry {
        let request: ATTRequest
        var timer: ScheduledTimer?
        let completion: (ATTResult) -> Void
        /// Whether the request was repeated after encrypting the link, which happens at most once.
        var isRepeated = false
        /// Whether the request waits for a pairing.
        var isEncrypting = false
    }

    /// The peer whose services are used.
    let server: any RadioPeer
    let device: any AttributeClient
    /// The number of concurrent requests.
    private let bearerCount: Int
    private let clock: any EventClock
    private var waiting: [(id: Int, entry: Entry)] = []
    private var active: [Int: Entry] = [:]
    private var sending: [Int: ScheduledTimer] = [:]
    private var lastID = 0
    private(set) var isOpen = true
    private(set) var hasTimedOut = false

    /// Creates a client for an open link; by default it has as many bearers as its server.
    init(
        _ device: any AttributeClient,
        server: any RadioPeer,
        bearerCount: Int? = nil,
        clock: any EventClock
    ) {
        self.device = device
        self.bearerCount = bearerCount ?? server.bearerCount
        self.server = server
        self.clock = clock
    }

    /// The server's object for the device of this client, or `nil` if the server is not an adapter.
    var deviceAtServer: DeviceObject? { device.link?.devices.first { $0.host === server } }

    /// The agreed packet size.
    var mtu: Int { max(23, min(device.ownMTU, server.mtu, 517)) }

    /// Sends a request after the requests already waiting; `completion` is called once.
    func send(_ request: ATTRequest, completion: @escaping (ATTResult) -> Void) {
        guard isOpen else { return completion(.failure(.unlikely)) }
        lastID += 1
        waiting.append((lastID, Entry(request: request, timer: nil, completion: completion)))
        pump()
    }

    /// Sends a command, which has no answer.
    func send(command handle: UInt16, _ value: [UInt8]) {
        guard isOpen else { return }
        server.perform(.command(handle: handle, value: value), from: self) { _ in }
    }

    /// Closes the client; all requests fail as after the loss of a link.
    func close() {
        guard isOpen else { return }
        isOpen = false
        failAll()
        server.clientDisconnected(self)
    }

    /// Delivers a notification or an indication from the server.
    func deliver(_ handle: UInt16, _ value: [UInt8]) {
        guard isOpen else { return }
        let value = Array(value.prefix(mtu - 3))
        let clock = device.world.clock
        guard clock.isPaused else { return device.received(handle, value) }
        clock.whenRunning { [device] in device.received(handle, value) }
    }

    private func pump() {
        while active.count < bearerCount, !waiting.isEmpty {
            let (id, entry) = waiting.removeFirst()
            active[id] = Entry(
                request: entry.request,
                timer: makeTimer(),
                completion: entry.completion
            )
            sending[id] = clock.schedule(after: RecordedDelays.request) { [weak self] in
                self?.start(id)
            }
        }
    }

    private func start(_ id: Int) {
        sending[id] = nil
        guard let entry = active[id] else { return }
        server.perform(entry.request, from: self) { [weak self] in self?.finish(id, $0) }
    }

    private func finish(_ id: Int, _ result: ATTResult) {
        guard let entry = active[id] else { return }
        if case .failure(let error) = result, error.requiresEncryption, !entry.isRepeated {
            // The peer has answered: the time limit is that of the pairing.
            active[id]?.timer = nil
            active[id]?.isRepeated = true
            active[id]?.isEncrypting = true
            device.encryptForRequest { [weak self] isEncrypted in
                if isEncrypted { self?.repeatRequest(id) } else { self?.finish(id, result) }
            }
            return
        }
        active[id] = nil
        entry.completion(result)
        pump()
    }

    private func repeatRequest(_ id: Int) {
        active[id]?.timer = makeTimer()
        active[id]?.isEncrypting = false
        start(id)
    }

    private func makeTimer() -> ScheduledTimer? {
        clock.schedule(after: RecordedDelays.attribute) { [weak self] in self?.timeOut() }
    }

    private func timeOut() {
        hasTimedOut = true
        failAll()
        device.attributeTimedOut()
    }

    private func failAll() {
        sending = [:]
        let all = active.sorted { $0.key < $1.key }.map(\.value) + waiting.map(\.entry)
        active = [:]
        waiting = []
        // A request that waits for a pairing ends with the object of its device.
        for entry in all {
            let isRemoved = entry.isEncrypting && device.isRemovedWithLink
            entry.completion(.failure(isRemoved ? .objectRemoved : .unlikely))
        }
    }
}

/// The user of attributes at the other end of a link: a device object of an adapter, or a scripted central.
protocol AttributeClient: AnyObject {
    var world: SimulatedWorld { get }
    var link: SimulatedLink? { get }
    var isPaired: Bool { get }
    /// Whether a user compared or typed a number during pairing.
    var isAuthenticated: Bool { get }
    /// The largest packet that the client accepts.
    var ownMTU: Int { get }

    /// Whether the object of the device is removed with its link.
    var isRemovedWithLink: Bool { get }

    func received(_ handle: UInt16, _ value: [UInt8])
    /// Encrypts the link, as the other end requires for a request.
    ///
    /// bluetoothd does not call `completion` without a pairing: the request ends with the link.
    func encryptForRequest(completion: @escaping (Bool) -> Void)
    func attributeTimedOut()
}

extension CharacteristicFlags {
    /// Returns bluetoothd's refusal of an operation whose client lacks keys, or keys that a user has confirmed.
    static func securityRejection(
        _ flags: [String],
        _ operation: String,
        of client: any AttributeClient
    ) -> ATTErrorCode? {
        if needsEncryption(flags, operation), !client.isPaired { return .insufficientEncryption }
        return needsAuthentication(flags, operation) && !client.isAuthenticated
            ? .insufficientAuthentication : nil
    }
}
