import BluejayCommandLine
import Foundation
import MeshPeer

/// One run of the demo: a node that greets its peers, sends typed lines and exchanges files.
@MainActor
final class NodeSession: MeshRepository {
    struct Options {
        var name = "Node"
        var adapter: String?
        var restoreIdentifier: String?
        /// A file for each peer.
        var file: SentFile?
        var folder: URL?
        /// The number of nodes that the run needs for success.
        var expectedPeers = 0
    }

    private let options: Options
    private let display: NodeDisplay
    private let end: () -> Void
    private var roster = Roster()
    private var generator = SystemRandomNumberGenerator()
    private var tasks: [Task<Void, Never>] = []
    private var delivered: Set<UUID> = []
    private var sending: Set<UUID> = []
    private var isPublished = false
    private var wasOn = false
    private var lastState = BluetoothState.unknown
    private(set) var bluetoothFailure: String?

    private lazy var bridge = makeBridge()
    private lazy var files = FileExchange(bridge.l2cap, savingTo: options.folder) { [weak self] in
        self?.peer($0) ?? Peer(id: $0, name: $0.uuidString)
    } show: { [display] in
        display.show($0)
    }

    /// Creates a run.
    ///
    /// - Parameters:
    ///   - options: The arguments.
    ///   - display: The output.
    ///   - end: Called if the run cannot continue.
    init(_ options: Options, _ display: NodeDisplay, end: @escaping () -> Void) {
        self.options = options
        self.display = display
        self.end = end
    }

    // MARK: Running

    /// Starts the node; everything happens on the main loop.
    func start() {
        setIdentity()
        tasks = [
            Task {
                for await event in bridge.central.events() { handle(event) }
            },
            Task {
                for await event in bridge.peripheral.events() { handle(event) }
            },
            Task { await files.receiveAll() },
        ]
        bridge.central.startScanning()
    }

    /// Sends a line to all peers every 5 s.
    func sendRegularly() {
        tasks.append(
            Task {
                for number in 1... {
                    guard (try? await Task.sleep(for: .seconds(5))) != nil else { return }
                    if !roster.present.isEmpty { broadcast("\(options.name) counts \(number)") }
                }
            }
        )
    }

    func stop() {
        tasks.forEach { $0.cancel() }
    }

    /// The reason for the exit status 1, or `nil`.
    var failure: String? {
        if let bluetoothFailure { return bluetoothFailure }
        let expected = options.expectedPeers
        let senders = roster.speakers
        if senders.count < expected {
            let names = senders.map(\.name.printable).joined(separator: ", ")
            return "\(senders.count) of \(expected) nodes sent a message"
                + (names.isEmpty ? "" : ": \(names)")
        }
        if let file = options.file, delivered.count < expected {
            return "\(file.name.printable) reached \(delivered.count) of \(expected) nodes"
        }
        return wasOn ? nil : "Bluetooth was never on"
    }

    private func makeBridge() -> PlatformBridge {
        var central = BLECentralManager.Settings()
        var peripheral = BLEPeripheralManager.Settings()
        peripheral.localName = options.name
        if let name = options.restoreIdentifier {
            central.restoreIdentifier = name + ".central"
            peripheral.restoreIdentifier = name + ".peripheral"
        }
        return PlatformBridge(
            repository: self,
            centralSettings: central,
            peripheralSettings: peripheral,
            host: BluetoothHost(mainLoop: .main, adapter: options.adapter)
        )
    }

    private func newIdentity() -> Data {
        NodeIdentity(name: options.name, using: &generator).data
    }

    private func setIdentity() {
        do {
            try bridge.peripheral.setIdentityData(newIdentity())
        } catch {
            display.show(.note("\(error)"))
        }
        bridge.peripheral.setIdentityProvider { [weak self] in
            MainActor.assumeIsolated { self?.newIdentity() ?? Data() }
        }
    }

    // MARK: Events

    private func handle(_ event: MeshPeerEvent) {
        switch event {
        case .discovered, .written: break
        case .notAPeer(let id): display.show(.note("\(id) is not a node of the mesh"))
        case .connected(let id, let identity):
            roster.identify(id, identity)
            set(.peripheral, of: id, to: true)
            deliver(to: id)
        case .lost(let id, _): set(.peripheral, of: id, to: false)
        case .subscribed(let id): set(.central, of: id, to: true)
        case .unsubscribed(let id): set(.central, of: id, to: false)
        case .writeFailed(let id, let reason):
            display.show(.unsent("a message", to: peer(id), reason: reason))
        case .scanning(let isOn): display.show(.scanning(isOn))
        case .advertising(let isOn): display.show(.advertising(isOn, name: options.name))
        case .advertisingFailed(let reason): display.show(.note("not advertising: \(reason)"))
        case .stateChanged(let state): stateChanged(state)
        }
    }

    // Both managers report each state.
    private func stateChanged(_ state: BluetoothState) {
        guard state != lastState else { return }
        lastState = state
        switch state {
        case .unknown, .resetting: display.show(.bluetooth(state))
        case .poweredOn:
            wasOn = true
            display.show(.bluetooth(state))
            publish()
        default:
            // A service waits for Bluetooth.
            guard !wasOn, options.restoreIdentifier == nil else {
                return display.show(.bluetooth(state))
            }
            bluetoothFailure = "\(state)"
            end()
        }
    }

    /// Publishes a channel and then advertises, so that peers find the PSM.
    private func publish() {
        guard !isPublished else { return }
        isPublished = true
        Task {
            do {
                _ = try await bridge.l2cap.publishChannel()
            } catch {
                isPublished = false
                display.show(.note("cannot publish an L2CAP channel: \(error)"))
            }
            bridge.peripheral.startAdvertising()
        }
    }

    private func peer(_ id: UUID) -> Peer {
        if roster.peer(id).identity == nil, let identity = bridge.central.identity(of: id) {
            roster.identify(id, identity)
        }
        return roster.peer(id)
    }

    private func set(_ role: Peer.Role, of id: UUID, to isPresent: Bool) {
        guard roster.set(role, of: id, to: isPresent) else { return }
        display.show(.peer(peer(id)))
        greet(id)
    }

    // MARK: Messages

    nonisolated func onBleDataReceived(peerId: String, data: Data) {
        MainActor.assumeIsolated {
            guard let id = UUID(uuidString: peerId) else { return }
            roster.recordMessage(from: id)
            display.show(.received(String(decoding: data, as: UTF8.self), from: peer(id)))
        }
    }

    nonisolated func sendBlePacket(peerId: String, data: Data) {
        MainActor.assumeIsolated { _ = bridge.sendBlePacket(peerId: peerId, data: data) }
    }

    /// Handles a line of standard input: a command, or a message to all peers.
    func typed(_ line: String) {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        switch words.first {
        case "/quit": end()
        case "/who":
            for peer in roster.present { display.show(.peer(peer)) }
            if roster.present.isEmpty { display.show(.note("no peers in range")) }
        case "/send" where words.count == 2: sendFile(at: words[1])
        case let word? where word.hasPrefix("/"):
            display.show(.note("the commands are /who, /send FILE and /quit"))
        default: broadcast(line)
        }
    }

    private func broadcast(_ text: String) {
        let queued = roster.present.filter { send(text, to: $0) }.count
        display.show(.sent(text, peers: queued))
    }

    private func greet(_ id: UUID) {
        guard roster.needsGreeting(id) else { return }
        let text = "hello from \(options.name)"
        let result = bridge.sendBlePacket(peerId: id.uuidString, data: Data(text.utf8))
        // BlueZ before 5.76 cannot notify one of several centrals: the connection brings the greeting.
        if result == .queued { roster.recordGreeting(of: id) }
    }

    private func send(_ text: String, to peer: Peer) -> Bool {
        let result = bridge.sendBlePacket(peerId: peer.id.uuidString, data: Data(text.utf8))
        guard result != .queued else { return true }
        display.show(.unsent(text, to: peer, reason: result.reason))
        return false
    }

    // MARK: Files

    private func deliver(to id: UUID) {
        guard let file = options.file, !delivered.contains(id), sending.insert(id).inserted
        else { return }
        Task {
            if await files.send(file, to: id) { delivered.insert(id) }
            sending.remove(id)
        }
    }

    private func sendFile(at path: String) {
        do {
            let file = try SentFile(path: path)
            for peer in roster.present { Task { _ = await files.send(file, to: peer.id) } }
        } catch {
            display.show(.note("\(path.printable) cannot be sent: \(error)"))
        }
    }
}

extension SentFile {
    /// Reads a file.
    ///
    /// - Parameter path: The path of the file.
    /// - Throws: ``Failure/tooLarge``, or an error of Foundation.
    init(path: String) throws {
        let place = URL(filePath: path)
        let size = try place.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
        guard size <= Self.maximumSize else { throw Failure.tooLarge }
        self.init(name: place.lastPathComponent, bytes: try Data(contentsOf: place))
    }
}

extension MeshSendResult {
    fileprivate var reason: String {
        switch self {
        case .queued: "queued"
        case .unknownPeer: "the peer is no longer connected"
        case .queueFull: "the send queue is full"
        case .notAddressable: "BlueZ cannot notify one of several centrals now"
        case .tooLong(let limit): "longer than \(limit) bytes"
        }
    }
}
