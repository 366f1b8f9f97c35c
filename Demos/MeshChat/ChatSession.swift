import Foundation
import MeshSupport
import PocketMesh

/// One run of the demo: find a radio, connect, talk.
///
/// The library runs on its own loop. One stream carries all its events, in their order.
@MainActor
final class ChatSession {
    /// The events to show, until ``leave()``.
    let events: AsyncStream<ChatEvent>
    private let eventContinuation: AsyncStream<ChatEvent>.Continuation
    private let radio: BLEStateMachine
    private let transport: iOSBLETransport
    private let manager: ConnectionManager
    private let device: UUID?
    private let pin: Pin?
    /// Whether the run is a service, which always retries.
    private let isPatient: Bool

    /// The reasons why connections were not re-established.
    private let ends: AsyncStream<String>
    private let endContinuation: AsyncStream<String>.Continuation
    private var state = ConnectionState.disconnected
    private var isLeaving = false
    private var watchers: [Task<Void, Never>] = []
    /// The lines that were typed before the radio was connected.
    private var unsent: [String] = []
    private var passkeyContinuation: CheckedContinuation<UInt32?, Never>?

    /// The reason for the failure, or `nil`.
    private(set) var failure: String? = "no radio responded; check that one is on and in range"

    init(adapter: String?, device: UUID?, pin: Pin?, restore: String?) {
        self.device = device
        self.pin = pin
        isPatient = restore != nil
        let (events, tell) = AsyncStream<ChatEvent>.makeStream()
        (self.events, self.eventContinuation) = (events, tell)
        (ends, endContinuation) = AsyncStream.makeStream()
        radio = BLEStateMachine(
            restoreIdentifier: restore,
            host: BluetoothHost(adapter: adapter)
        )
        transport = iOSBLETransport(stateMachine: radio)
        manager = ConnectionManager(transport: transport) { session in
            Task { for await packet in session.packets { tell.yield(.received(packet)) } }
        }
    }

    /// Connects and stays connected; returns when a retry is pointless.
    func play() async {
        await watch()
        await radio.activate()
        var ends = ends.makeAsyncIterator()
        while !Task.isCancelled {
            do {
                try await connect()
                guard let reason = await ends.next() else { return }
                fail(reason)
            } catch is CancellationError {
                return
            } catch {
                fail("\(error)")
            }
            guard isPatient, (try? await Task.sleep(for: .seconds(5))) != nil else { return }
        }
    }

    private func fail(_ reason: String) {
        guard !isLeaving else { return }
        eventContinuation.yield(.failed(reason: reason))
        if !isPatient { failure = reason }
    }

    /// Ends the connection, and then ``events``.
    func shutDown() async {
        isLeaving = true
        await manager.disconnect()
        await radio.shutdown()
        // All events so far are shown now; the stream of states itself has no end.
        if state == .disconnected { watchers.last?.cancel() }
        for watcher in watchers { await watcher.value }
        eventContinuation.finish()
    }

    // MARK: Connecting

    private func connect() async throws {
        if let current = await radio.currentPhase.deviceID {
            // The library reconnects by itself, and reports when it cannot.
            if device == nil || device == current { return }
            await manager.disconnect()
        }
        if !isPatient { try await radio.waitForPoweredOn() }
        let found: UUID
        if let device { found = device } else { found = try await find() }
        do {
            try await manager.connect(to: found)
        } catch BLEError.notConnected {
            // The link was lost before it was ready: the library reconnects by itself.
            guard await radio.currentPhase.isActive else { throw BLEError.notConnected }
        }
    }

    private func find() async throws -> UUID {
        eventContinuation.yield(.searching)
        let (found, continuation) = AsyncStream<(UUID, Int?)>.makeStream()
        await radio.setDeviceDiscoveredHandler { continuation.yield(($0, $1)) }
        await radio.startScanning()
        var reports = found.makeAsyncIterator()
        let first = await reports.next()
        await radio.stopScanning()
        guard let (device, rssi) = first else { throw CancellationError() }
        eventContinuation.yield(.found(device, rssi: rssi))
        return device
    }

    // MARK: Events

    private func watch() async {
        let (events, end) = (eventContinuation, endContinuation)
        await radio.setBluetoothStateChangeHandler {
            if $0 != .unknown { events.yield(.bluetooth($0)) }
        }
        await radio.setAutoReconnectingHandler { events.yield(.connectionLost($0)) }
        // This handler replaces the manager's, and also shows the event.
        await transport.setReconnectionHandler { [weak self] device in
            events.yield(.reconnected(device))
            Task { await self?.manager.handleReconnection(deviceID: device) }
        }
        await radio.setDisconnectionHandler { device, error in
            let reason = error.map { "\($0)" } ?? "unknown reason"
            events.yield(.disconnected(device, reason: reason))
            // A connection that was lost with Bluetooth returns with it.
            if (error as? BLEError)?.isBluetoothError != true { end.yield(reason) }
        }
        await providePasskeys()
        let (phases, states) = await (radio.phases, manager.states)
        watchers = [
            Task { for await phase in phases { events.yield(.phase(phase)) } },
            Task {
                for await state in states {
                    entered(state)
                    if isLeaving, state == .disconnected { break }
                }
            },
        ]
    }

    private func entered(_ state: ConnectionState) {
        self.state = state
        eventContinuation.yield(.state(state))
        guard state == .ready else { return }
        failure = nil
        let lines = unsent
        unsent = []
        for line in lines { sendText(line) }
    }

    // MARK: Talking

    /// Handles a typed line.
    func typed(_ line: String) {
        if let passkeyContinuation {
            self.passkeyContinuation = nil
            guard case .number(let number)? = Pin(argument: line) else {
                return passkeyContinuation.resume(returning: nil)
            }
            return passkeyContinuation.resume(returning: number)
        }
        state == .ready ? sendText(line) : unsent.append(line)
    }

    /// Requests the time each second, while the radio is connected.
    func requestTime() async {
        while (try? await Task.sleep(for: .seconds(1))) != nil {
            if state == .ready { await send(.requestTime) }
        }
    }

    private func sendText(_ text: String) {
        let time = UInt32(truncatingIfNeeded: Int(Date().timeIntervalSince1970))
        Task { await send(.text(text, at: time)) }
    }

    private func send(_ command: MeshCommand) async {
        do {
            try await transport.send(command.data)
            eventContinuation.yield(.sent(command.data))
        } catch {
            eventContinuation.yield(.sendFailed(command.data, reason: "\(error)"))
        }
    }

    // MARK: Pairing

    private func providePasskeys() async {
        switch pin {
        case nil: break
        case .number(let number): await radio.setPasskeyProvider { _ in number }
        case .ask:
            await radio.setPasskeyProvider { [weak self] in await self?.requestPasskey(for: $0) }
        }
    }

    private func requestPasskey(for device: UUID) async -> UInt32? {
        eventContinuation.yield(.passkeyRequested(device))
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // Only one radio is connected at a time: an older request has no receiver.
                passkeyContinuation?.resume(returning: nil)
                passkeyContinuation = continuation
            }
        } onCancel: {
            Task { @MainActor in
                passkeyContinuation?.resume(returning: nil)
                passkeyContinuation = nil
            }
        }
    }
}

extension BLEError {
    fileprivate var isBluetoothError: Bool {
        switch self {
        case .bluetoothUnavailable, .bluetoothUnauthorized, .bluetoothPoweredOff: true
        default: false
        }
    }
}
