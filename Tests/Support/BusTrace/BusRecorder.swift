internal import BluejayDBus
internal import BluejayGLib

/// Records what `org.bluez` and its clients say to each other on a bus.
///
/// ```swift
/// let recorder = try await BusRecorder.start(busAddress: address)
/// …
/// let trace = TraceNormaliser().trace(of: await recorder.stop())
/// ```
///
/// The bus must allow monitoring: it does to its own user and to root. The recorder has two connections
/// on a thread of its own; they are reached in closures that are posted there only, the invariant behind
/// `@unchecked`.
package final class BusRecorder: @unchecked Swift.Sendable {
    private let context: MainContext
    private let monitor: BusMonitor

    private init(_ context: MainContext, _ monitor: BusMonitor) {
        self.context = context
        self.monitor = monitor
    }

    deinit {
        context.post { [monitor] in monitor.close() }
        context.quit()
    }

    /// Begins to record; everything sent after this returns is recorded.
    ///
    /// - Parameter busAddress: As `DBUS_SYSTEM_BUS_ADDRESS` has it; nil takes that variable or the
    ///   system bus's usual place.
    /// - Returns: The recorder, which records until `stop` or until it is released.
    /// - Throws: `BusError`, for example when the bus does not allow monitoring.
    package static func start(busAddress: String? = nil) async throws -> BusRecorder {
        let context = MainContext()
        context.startThread(named: "bus recorder")
        let monitor = BusMonitor()
        do {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Void, any Error>) in
                context.post {
                    let address = busAddress.map { BusAddress.address($0) } ?? .system
                    monitor.start(address, on: context) { continuation.resume(with: $0) }
                }
            }
        } catch {
            context.post { monitor.close() }
            context.quit()
            throw error
        }
        return BusRecorder(context, monitor)
    }

    /// Ends the recording.
    ///
    /// It is a barrier: what any connection sent before this is called is in it. What bluetoothd still
    /// does about it, for example when a client has left, is waited for until it is quiet for 0.2 s, at
    /// most 2 s.
    ///
    /// - Returns: The messages in their order on the bus; a second call returns the same.
    package func stop() async -> [RecordedMessage] {
        await withCheckedContinuation { continuation in
            context.post { [monitor] in
                monitor.stop { continuation.resume(returning: $0) }
            }
        }
    }
}

/// The two connections of a recorder: one monitors and never sends, one asks.
///
/// Only closures that are posted to their context touch it: the invariant behind `@unchecked`.
private final class BusMonitor: @unchecked Swift.Sendable {
    private var ears: BusConnection?
    private var voice: BusConnection?
    private var sieve = MessageSieve()
    private var processes: [String: Int] = [:]
    private var started: ((Result<Void, any Error>) -> Void)?
    private var stopped: [([RecordedMessage]) -> Void] = []
    private var isStopping = false
    private var barriers = 0
    private var pause: ScheduledTimer?
    private var isOver = false

    func start(
        _ address: BusAddress,
        on context: MainContext,
        completion: @escaping (Result<Void, any Error>) -> Void
    ) {
        started = completion
        do throws(BusError) {
            let voice = try BusConnection(address, on: context)
            let ears = try BusConnection(address, on: context)
            self.voice = voice
            self.ears = ears
            voice.onLost = { [weak self] in self?.end($0) }
            ears.onLost = { [weak self] in self?.end($0) }
            voice.onReady = { [weak self] in self?.listNames() }
        } catch {
            end(error)
        }
    }

    func stop(_ completion: @escaping ([RecordedMessage]) -> Void) {
        guard !isOver else { return completion(messages) }
        stopped.append(completion)
        guard !isStopping else { return }
        isStopping = true
        settle(left: 10)
    }

    // It answers a ping at once, and tells of changes when it has nothing else to do.
    private func settle(left: Int) {
        // By its unique name: the well-known one would start a bluetoothd that is gone.
        guard let voice, !sieve.owner.isEmpty, left > 0 else { return passBarriers() }
        let count = sieve.messages.count
        let ping = MethodCall(sieve.owner, "/", Bus.name + ".Peer", "Ping")
        voice.call(ping, timeout: .seconds(1)) { [weak self] result in
            guard let self else { return }
            guard case .success = result else { return passBarriers() }
            pause = voice.clock.schedule(after: .milliseconds(200)) { [weak self] in
                guard let self else { return }
                if sieve.messages.count == count { passBarriers() } else { settle(left: left - 1) }
            }
        }
    }

    // The bus may take up two sockets that are readable at once in any order: the second call is behind
    // all that was in a socket before the first.
    private func passBarriers() {
        ask("GetId") { [weak self] _ in
            self?.ask("GetId") { result in
                if case .failure(let error) = result { self?.end(error) }
            }
        }
    }

    func close() {
        pause = nil
        ears?.close()
        voice?.close()
    }

    private var messages: [RecordedMessage] {
        sieve.messages.map { message in
            var message = message
            message.senderProcess = processes[message.sender]
            return message
        }
    }

    private func end(_ error: BusError?) {
        isOver = true
        close()
        let started = started
        self.started = nil
        if let error { started?(.failure(error)) }
        let stopped = stopped
        self.stopped = []
        for completion in stopped { completion(messages) }
    }

    // Subscribed before it is asked for: an owner that comes between the two would be missed.
    private func listNames() {
        ears?.onAnyMessage = { [weak self] in self?.heard($0) ?? true }
        ears?.subscribe(MatchRule(sender: Bus.name, interface: Bus.name)) { _ in }
        ask("ListNames") { [weak self] result in
            guard let self else { return }
            guard case .success(let values) = result else { return end(.disconnected) }
            for name in values.first?.texts ?? [] where name.hasPrefix(":") { askProcess(of: name) }
            askOwner()
        }
    }

    private func askOwner() {
        ask("GetNameOwner", [.string(Bus.bluez)], of: ears) { [weak self] result in
            // The failure means that nobody has the name.
            let owner = (try? result.get())?.first?.text ?? ""
            self?.sieve.begin(owner: owner)
            self?.becomeMonitor()
        }
    }

    private func becomeMonitor() {
        let call = MethodCall(
            Bus.name,
            Bus.path,
            Bus.name + ".Monitoring",
            "BecomeMonitor",
            [.strings([]), .uint32(0)]
        )
        ears?.call(call, timeout: .seconds(25)) { [weak self] result in
            guard let self else { return }
            if case .failure(let error) = result { return end(error) }
            let started = started
            self.started = nil
            started?(.success(()))
        }
    }

    private func heard(_ message: BusMessage) -> Bool {
        guard let ears, let voice, message.interface != Bus.name + ".Local" else { return false }
        if let own = ears.uniqueName, message.destination == own { return false }
        if message.kind == .methodCall, message.sender == voice.uniqueName {
            if message.member == "GetId" { passedBarrier() }
            return true
        }
        guard ears.uniqueName != nil else { return false }
        noteNewcomer(message)
        if message.destination != voice.uniqueName { sieve.add(message) }
        return true
    }

    private func passedBarrier() {
        barriers += 1
        if barriers == 2 { end(nil) }
    }

    private func noteNewcomer(_ message: BusMessage) {
        guard message.isNamed(Bus.name, "NameOwnerChanged"), message.sender == Bus.name,
            let values = try? message.arguments(), let name = values.first?.text,
            name.hasPrefix(":"), values.last?.text == name
        else { return }
        askProcess(of: name)
    }

    private func askProcess(of name: String) {
        ask("GetConnectionUnixProcessID", [.string(name)]) { [weak self] result in
            // It may have gone already.
            if let process = (try? result.get())?.first?.integer { self?.processes[name] = process }
        }
    }

    private func ask(
        _ member: String,
        _ arguments: [BusValue] = [],
        of connection: BusConnection? = nil,
        reply: @escaping (CallResult) -> Void
    ) {
        (connection ?? voice)?.call(
            MethodCall(Bus.name, Bus.path, Bus.name, member, arguments),
            timeout: .seconds(25),
            reply: reply
        )
    }
}

/// Picks the messages to and from the owner of `org.bluez` out of everything on a bus.
private struct MessageSieve {
    private struct CallKey: Hashable {
        let caller: String
        let serial: UInt32
    }

    private(set) var messages: [RecordedMessage] = []
    private(set) var owner = ""
    private var openCalls: Set<CallKey> = []

    mutating func begin(owner: String) {
        // Changes of the owner may have been heard before the answer; they are in the answer.
        messages = [.initialOwner(owner)]
        self.owner = owner
    }

    mutating func add(_ message: BusMessage) {
        let sender = message.sender ?? ""
        let destination = message.destination ?? ""
        let key = CallKey(caller: destination, serial: message.replySerial)
        // The bus itself answers calls that bluetoothd cannot answer any more.
        let isAnswer = message.replySerial != 0 && openCalls.remove(key) != nil
        if isAnswer || concernsBlueZ(sender) || concernsBlueZ(destination) {
            if message.kind == .methodCall {
                openCalls.insert(CallKey(caller: sender, serial: message.serial))
            }
            messages.append(RecordedMessage(message))
        } else if message.isNamed(Bus.name, "NameOwnerChanged") {
            let recorded = RecordedMessage(message)
            guard let newOwner = recorded.newOwnerOfBlueZ else { return }
            owner = newOwner
            messages.append(recorded)
        }
    }

    private func concernsBlueZ(_ name: String) -> Bool {
        !name.isEmpty && (name == owner || name == Bus.bluez)
    }
}
