internal import BluejayGLib

/// The client's half of the Attribute Protocol on one link: requests in order, a few at a time.
///
/// A request without an answer for 30 s fails with all others, and the link is dropped.
final class ATTClient {
    private struct Entry {
        let request: ATTRequest
        let timer: ScheduledTimer?
        let completion: (ATTResult) -> Void
        /// Whether the link was encrypted for it; that is tried once.
        var isRepeated = false
    }

    /// Whose services are used.
    let server: any RadioPeer
    /// Who uses them.
    let device: any AttributeClient
    /// How many requests go on at once.
    private let bearerCount: Int
    private let clock: any EventClock
    private var waiting: [(id: Int, entry: Entry)] = []
    private var active: [Int: Entry] = [:]
    private var sending: [Int: ScheduledTimer] = [:]
    private var lastID = 0
    private(set) var isOpen = true
    /// Whether a request was not answered in its time.
    private(set) var hasTimedOut = false

    /// Makes one for a link that is up; by default it has as many bearers as its server.
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

    /// The server's object for the device of this client; `nil` when the server is no adapter.
    var deviceAtServer: Device? { device.link?.devices.first { $0.adapter === server } }

    /// The size of a packet that both ends agreed to.
    var mtu: Int { max(23, min(device.ownMTU, server.mtu, 517)) }

    /// Sends a request when its turn has come; `completion` is called once.
    func send(_ request: ATTRequest, completion: @escaping (ATTResult) -> Void) {
        guard isOpen else { return completion(.failure(.unlikely)) }
        lastID += 1
        waiting.append((lastID, Entry(request: request, timer: nil, completion: completion)))
        pump()
    }

    /// Sends what nobody answers.
    func send(command handle: UInt16, _ value: [UInt8]) {
        guard isOpen else { return }
        server.perform(.command(handle: handle, value: value), from: self) { _ in }
    }

    /// Ends it: everything that waits fails as it does when a link is lost.
    func close() {
        guard isOpen else { return }
        isOpen = false
        failAll()
        server.clientLeft(self)
    }

    /// Hands over a value that the server sends by itself.
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
            let timer = clock.schedule(after: RecordedDelays.attribute) { [weak self] in
                self?.timeOut()
            }
            active[id] = Entry(
                request: entry.request,
                timer: timer,
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
        if case .failure(let error) = result, error.asksForEncryption, !entry.isRepeated {
            active[id]?.isRepeated = true
            device.encrypt { [weak self] isEncrypted in
                if isEncrypted { self?.start(id) } else { self?.finish(id, result) }
            }
            return
        }
        active[id] = nil
        entry.completion(result)
        pump()
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
        for entry in all { entry.completion(.failure(.unlikely)) }
    }
}
