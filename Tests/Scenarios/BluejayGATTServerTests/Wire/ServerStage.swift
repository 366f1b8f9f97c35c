import Bluejay
import BluejayBlueZ
import BluejayDBus
import BluejayGATTServer
import BluejayGLib
import BluejaySimulator
import Foundation
import TestSupport

/// A bus, a daemon and a server on one loop, with a journal.
// Used only on the loop's thread, through `run`.
final class ServerStage: @unchecked Swift.Sendable {
    let loop: MainLoop
    let clock = ManualClock()
    private(set) var bus: PrivateBus?
    private(set) var address: BusAddress?
    private(set) var daemon: FakeDaemon?
    var server: GATTServer?
    private(set) var engine: BlueZEngine?
    var service: LocalService?
    var other: (GATTServer, LocalCharacteristic)?
    var kept: [ReadRequest] = []
    private var journal: [String] = []
    private var waiters: [(line: String, resume: ([String]) -> Void)] = []

    var characteristic: LocalCharacteristic? { service?.characteristics.first }

    /// Starts a bus and optionally a daemon; ends them after the body.
    static func with(
        daemon: Bool = true,
        hasAdapter: Bool = true,
        _ body: (ServerStage) async throws -> Void
    ) async throws {
        let stage = ServerStage(MainLoop(threadName: "world"))
        do {
            try await stage.start(daemon: daemon, hasAdapter: hasAdapter)
            try await body(stage)
        } catch {
            await stage.end()
            throw error
        }
        await stage.end()
    }

    /// `with`, plus a server that follows the daemon.
    static func withServer(_ body: (ServerStage) async throws -> Void) async throws {
        try await with { stage in
            await stage.startServer()
            await stage.wait(for: "state Bluetooth is on")
            try await body(stage)
        }
    }

    private init(_ loop: MainLoop) {
        self.loop = loop
    }

    private func end() async {
        await run { stage in
            stage.kept = []
            stage.server = nil
            stage.other = nil
            stage.engine = nil
            stage.service = nil
            stage.daemon?.close()
            stage.daemon = nil
            stage.bus?.stop()
            stage.bus = nil
        }
        loop.stop()
    }

    private func start(daemon: Bool, hasAdapter: Bool) async throws {
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Void, any Error>) in
            loop.post { [self] in
                do {
                    bus = try PrivateBus(on: loop.context) { [weak self] result in
                        self?.address = try? result.get()
                        continuation.resume(with: result.map { _ in })
                    }
                } catch {
                    continuation.resume(throwing: error)
                }
            }
        }
        if daemon { try await startDaemon(hasAdapter: hasAdapter) }
    }

    // MARK: The loop

    @discardableResult
    func run<R: Swift.Sendable>(_ work: @escaping @Sendable (ServerStage) -> R) async -> R {
        await withCheckedContinuation { continuation in
            loop.post { continuation.resume(returning: work(self)) }
        }
    }

    func note(_ line: String) {
        journal.append(line)
        let ready = waiters.filter { $0.line == line }
        waiters.removeAll { $0.line == line }
        for waiter in ready { waiter.resume(taken(through: line) ?? []) }
    }

    /// Waits until the journal contains `line`, then removes and returns all lines up to it.
    @discardableResult
    func wait(for line: String) async -> [String] {
        await withCheckedContinuation { continuation in
            loop.post { [self] in
                if let taken = taken(through: line) { return continuation.resume(returning: taken) }
                waiters.append((line, { continuation.resume(returning: $0) }))
            }
        }
    }

    /// Whether a remaining line of the journal contains the text.
    func contains(_ text: String) -> Bool { journal.contains { $0.contains(text) } }

    /// Whether the daemon has the service and the advertisement, and the server reports both.
    var isServing: Bool {
        daemon?.applications.count == 1 && daemon?.advertisements.count == 1
            && daemon?.isReading == false && server?.isAdvertising == true
    }

    private func taken(through line: String) -> [String]? {
        guard let index = journal.firstIndex(of: line) else { return nil }
        defer { journal.removeFirst(index + 1) }
        return Array(journal[...index])
    }

    // MARK: The daemon

    func startDaemon(hasAdapter: Bool = true) async throws {
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Void, any Error>) in
            loop.post { [self] in
                continuation.resume(
                    with: Result {
                        daemon = try FakeDaemon(
                            address ?? .system,
                            on: loop.context,
                            hasAdapter: hasAdapter
                        ) { [weak self] in self?.note($0) }
                    }
                )
            }
        }
        await wait(for: "daemon up")
    }

    func killDaemon() async {
        await run { stage in
            stage.daemon?.close()
            stage.daemon = nil
        }
    }

    func call(_ end: String, _ member: String, _ arguments: [BusValue] = []) async -> CallResult {
        await withCheckedContinuation { continuation in
            loop.post { [self] in
                daemon?.call(end, member, arguments) { continuation.resume(returning: $0) }
            }
        }
    }

    /// Reads a characteristic or descriptor with bluetoothd's options.
    func read(_ end: String, offset: Int? = nil) async -> Result<[UInt8], BusError> {
        await call(end, "ReadValue", [Self.options(offset)]).map { $0.first?.bytes ?? [] }
    }

    func write(
        _ end: String,
        _ bytes: [UInt8],
        offset: Int? = nil,
        isQuestion: Bool = false
    ) async -> BusError? {
        let options = Self.options(offset, isQuestion: isQuestion)
        switch await call(end, "WriteValue", [.bytes(bytes), options]) {
        case .success: return nil
        case .failure(let error): return error
        }
    }

    static func options(
        _ offset: Int? = nil,
        isQuestion: Bool = false,
        of central: ObjectPath = FakeDaemon.central,
        mtu: UInt16 = 23
    ) -> BusValue {
        var options: BusProperties = [
            ("device", .objectPath(central)), ("link", .string("LE")), ("mtu", .uint16(mtu)),
        ]
        if let offset { options.append(("offset", .uint16(UInt16(offset)))) }
        if isQuestion { options.append(("prepare-authorize", .boolean(true))) }
        return .properties(options)
    }

    // MARK: The server

    func startServer() async {
        await run { stage in
            guard let address = stage.address else { return }
            let client = BlueZClient(
                on: stage.loop.context,
                address: address,
                clock: stage.clock
            )
            let engine = BlueZEngine(client)
            stage.engine = engine
            let server = GATTServer(mainLoop: stage.loop, adapter: nil) { engine }
            server.onStateChange = { [weak stage] in stage?.note("state \($0)") }
            server.onServiceEnded = { [weak stage] in stage?.note("ended \($0.uuid): \($1)") }
            server.onAdvertisingEnded = { [weak stage] in
                stage?.note("advertising ended \($0.map { "\($0)" } ?? "by timeout")")
            }
            server.onConnectionChange = { [weak stage] in
                stage?.note("\($0.name) \($1 ? "connected" : "disconnected")")
            }
            server.start()
            stage.server = server
        }
    }

    func noteCentrals() {
        server?.onCentralChange = { [weak self] in self?.note($0) }
    }

    func note(_ change: CentralChange) {
        switch change {
        case .came(let central): note("central \(central.address ?? "") came")
        case .left(let central): note("central \(central.address ?? "") left")
        case .identified(let old, let new):
            note("central \(old.address ?? "") is \(new.address ?? "")")
        }
    }

    /// Adds a service with one characteristic and waits until it is published.
    func publish(_ make: @escaping @Sendable (ServerStage) -> LocalCharacteristic) async {
        await run { stage in
            let characteristic = make(stage)
            characteristic.onSubscriptionChange = { [weak stage] in
                stage?.note($0 ? "subscribed" : "unsubscribed")
            }
            stage.service = LocalService(
                uuid: BluetoothUUID(uint16: 0x180D),
                characteristics: [characteristic]
            )
            stage.add()
        }
        await wait(for: "added")
    }

    func add() {
        guard let service else { return }
        server?.add(service) { [weak self] in self?.note("added", $0) }
    }

    func note(_ what: String, _ result: Result<Void, any Error>) {
        switch result {
        case .success: note(what)
        case .failure(let error): note("not \(what): \(error.localizedDescription)")
        }
    }
}
