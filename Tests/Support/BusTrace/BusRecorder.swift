internal import BluejayDBus
internal import BluejayGLib

/// Records the messages between `org.bluez` and its clients on a bus.
///
/// ```swift
/// let recorder = try await BusRecorder.start(busAddress: address)
/// …
/// let trace = TraceNormaliser().trace(of: await recorder.stop())
/// ```
///
/// The bus must allow monitoring, as it does to its own user and to root. The recorder has two connections on
/// a separate thread; only closures that are posted there use them: the invariant behind `@unchecked`.
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

    /// Starts to record; the recording includes every message sent after this returns.
    ///
    /// - Parameter busAddress: An address as in `DBUS_SYSTEM_BUS_ADDRESS`; `nil` uses that variable, or the
    ///   usual place of the system bus.
    /// - Returns: The recorder, which records until `stop` or its deallocation.
    /// - Throws: `BusError`, for example if the bus does not allow monitoring.
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
    /// The call is a barrier: the recording includes every message sent before it. For messages that
    /// bluetoothd sends as a consequence, for example after a client has left, the recorder waits until the
    /// bus is quiet for 0.2 s, at most 2 s.
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

/// The two connections of a recorder: one only monitors, the other one makes calls.
///
/// Only closures that are posted to their context use them: the invariant behind `@unchecked`.
private final class BusMonitor: @unchecked Swift.Sendable {
    private var monitorConnection: BusConnection?
    private var queryConnection: BusConnection?
    private var filter = MessageFilter()
    private var processes: [String: Int] = [:]
    private var startCompletion: ((Result<Void, any Error>) -> Void)?
    private var stopCompletions: [([RecordedMessage]) -> Void] = []
    private var isStopping = false
    private var barriers = 0
    private var pause: ScheduledTimer?
    private var isEnded = false

    func start(
        _ address: BusAddress,
        on context: MainContext,
        completion: @escaping (Result<Void, any Error>) -> Void
    ) {
        startCompletion = completion
        do throws(BusError) {
            let voice = try BusConnection(address, on: context)
            let ears = try BusConnection(address, on: context)
            self.queryConnection = voice
            self.monitorConnection = ears
            voice.onLost = { [weak self] in self?.end($0) }
            ears.onLost = { [weak self] in self?.end($0) }
            voice.onReady = { [weak self] in self?.listNames() }
        } catch {
            end(error)
        }
    }

    func stop(_ completion: @escaping ([RecordedMessage]) -> Void) {
        guard !isEnded else { return completion(messages) }
        stopCompletions.append(completion)
        guard !isStopping else { return }
        isStopping = true
        settle(remaining: 10)
    }

    // bluetoothd answers a ping at once, and signals changes when it is idle.
    private func settle(remaining: Int) {
        // The well-known name would start a bluetoothd that has ended; the unique name does not.
        guard let queryConnection, !filter.owner.isEmpty, remaining > 0 else {
            return passBarriers()
        }
        let count = filter.messages.count
        let ping = MethodCall(to: filter.owner, at: "/", Bus.name + ".Peer", "Ping")
        queryConnection.call(ping, timeout: .seconds(1)) { [weak self] result in
            guard let self else { return }
            guard case .success = result else { return passBarriers() }
            pause = queryConnection.clock.schedule(after: .milliseconds(200)) { [weak self] in
                guard let self else { return }
                if filter.messages.count == count {
                    passBarriers()
                } else {
                    settle(remaining: remaining - 1)
                }
            }
        }
    }

    // The bus may read two readable sockets in any order. The second call comes after everything that was in
    // a socket before the first.
    private func passBarriers() {
        call("GetId") { [weak self] _ in
            self?.call("GetId") { result in
                if case .failure(let error) = result { self?.end(error) }
            }
        }
    }

    func close() {
        pause = nil
        monitorConnection?.close()
        queryConnection?.close()
    }

    private var messages: [RecordedMessage] {
        filter.messages.map { message in
            var message = message
            message.senderProcess = processes[message.sender]
            return message
        }
    }

    private func end(_ error: BusError?) {
        isEnded = true
        close()
        let started = startCompletion
        self.startCompletion = nil
        if let error { started?(.failure(error)) }
        let stopped = stopCompletions
        self.stopCompletions = []
        for completion in stopped { completion(messages) }
    }

    // Subscribe before the query: a new owner between the two would be missed.
    private func listNames() {
        monitorConnection?.messageFilter = { [weak self] in self?.received($0) ?? true }
        monitorConnection?.subscribe(MatchRule(sender: Bus.name, interface: Bus.name)) { _ in }
        call("ListNames") { [weak self] result in
            guard let self else { return }
            guard case .success(let values) = result else { return end(.disconnected) }
            for name in values.first?.texts ?? [] where name.hasPrefix(":") {
                requestProcess(of: name)
            }
            requestOwner()
        }
    }

    private func requestOwner() {
        call("GetNameOwner", [.string(Bus.bluez)], of: monitorConnection) { [weak self] result in
            // An error means that the name has no owner.
            let owner = (try? result.get())?.first?.text ?? ""
            self?.filter.start(owner: owner)
            self?.becomeMonitor()
        }
    }

    private func becomeMonitor() {
        let call = MethodCall(
            to: Bus.name,
            at: Bus.path,
            Bus.name + ".Monitoring",
            "BecomeMonitor",
            [.strings([]), .uint32(0)]
        )
        monitorConnection?.call(call, timeout: .seconds(25)) { [weak self] result in
            guard let self else { return }
            if case .failure(let error) = result { return end(error) }
            let started = startCompletion
            self.startCompletion = nil
            started?(.success(()))
        }
    }

    private func received(_ message: BusMessage) -> Bool {
        guard let monitorConnection, let queryConnection, message.interface != Bus.name + ".Local"
        else { return false }
        if let own = monitorConnection.uniqueName, message.destination == own { return false }
        if message.kind == .methodCall, message.sender == queryConnection.uniqueName {
            if message.member == "GetId" { passedBarrier() }
            return true
        }
        guard monitorConnection.uniqueName != nil else { return false }
        recordNewName(message)
        if message.destination != queryConnection.uniqueName { filter.add(message) }
        return true
    }

    private func passedBarrier() {
        barriers += 1
        if barriers == 2 { end(nil) }
    }

    private func recordNewName(_ message: BusMessage) {
        guard message.isNamed(Bus.name, "NameOwnerChanged"), message.sender == Bus.name,
            let values = try? message.arguments(), let name = values.first?.text,
            name.hasPrefix(":"), values.last?.text == name
        else { return }
        requestProcess(of: name)
    }

    private func requestProcess(of name: String) {
        call("GetConnectionUnixProcessID", [.string(name)]) { [weak self] result in
            // The connection may have ended already.
            if let process = (try? result.get())?.first?.integer { self?.processes[name] = process }
        }
    }

    private func call(
        _ member: String,
        _ arguments: [BusValue] = [],
        of connection: BusConnection? = nil,
        reply: @escaping (CallResult) -> Void
    ) {
        (connection ?? queryConnection)?.call(
            MethodCall(to: Bus.name, at: Bus.path, Bus.name, member, arguments),
            timeout: .seconds(25),
            reply: reply
        )
    }
}

/// Filters the messages to and from the owner of `org.bluez` from all messages on a bus.
private struct MessageFilter {
    private struct CallKey: Hashable {
        let caller: String
        let serial: UInt32
    }

    private(set) var messages: [RecordedMessage] = []
    private(set) var owner = ""
    private var pendingCalls: Set<CallKey> = []

    mutating func start(owner: String) {
        // Changes of the owner before the reply are part of the reply.
        messages = [.initialOwner(owner)]
        self.owner = owner
    }

    mutating func add(_ message: BusMessage) {
        let sender = message.sender ?? ""
        let destination = message.destination ?? ""
        let key = CallKey(caller: destination, serial: message.replySerial)
        // The bus itself answers calls that bluetoothd can no longer answer.
        let isAnswer = message.replySerial != 0 && pendingCalls.remove(key) != nil
        if isAnswer || concernsBlueZ(sender) || concernsBlueZ(destination) {
            if message.kind == .methodCall {
                pendingCalls.insert(CallKey(caller: sender, serial: message.serial))
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
