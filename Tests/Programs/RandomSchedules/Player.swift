import Bluejay
import Foundation

/// One instance of a schedule, with the rules for its callbacks.
///
/// Used on its loop only: the invariant behind `@unchecked`.
final class Player: ConnectionObserver, DisconnectHandler, RSSIObserver, ServiceObserver,
    LogObserver,
    @unchecked Swift.Sendable
{
    let name: String
    let loop: MainLoop
    let ledger: Ledger
    let peers: [PeripheralIdentifier]
    private(set) var bluejay: Bluejay?
    var listens: [PlayedListen] = []
    let tasks = RunningTasks()
    var reconnectMode = AutoReconnectMode.noChange
    /// Counts the cancellations that leave the connection up.
    let cancellations = Cancellations()
    private var inside: [Call] = []
    private var inLines: [CallInLines] = []
    private var isInLogLine = false
    /// The adapters that the observer has reported.
    var adapters: Set<String> = []
    private var isConnected = false
    private var isEnded = false

    init(
        _ name: String,
        on loop: MainLoop,
        bus: String,
        peers: [PeripheralIdentifier],
        ledger: Ledger
    ) {
        self.name = name
        self.loop = loop
        self.ledger = ledger
        self.peers = peers
        bluejay = Bluejay(mainLoop: loop, adapter: "hci0", busAddress: bus)
    }

    /// Makes a call inside the next completion.
    func performInside(_ call: Call) {
        inside.append(call)
    }

    /// Makes a call inside log lines, after the earlier calls of this kind.
    func performInLines(_ call: CallInLines) {
        inLines.append(call)
    }

    // A call logs its own lines, which must not call again.
    private func callAtLogLine() {
        guard !isEnded, !isInLogLine, !inLines.isEmpty, inLines[0].isDue() else { return }
        let call = inLines[0].call
        if inLines[0].times == 0 { inLines.removeFirst() }
        isInLogLine = true
        perform(call)
        isInLogLine = false
    }

    /// Records a completion, and makes a call inside it.
    func completed(_ number: Int, _ result: String) {
        ledger.end(number, result)
        guard !isEnded, !inside.isEmpty else { return }
        perform(inside.removeFirst())
    }

    /// Stops calling inside completions and log lines.
    func calmDown() {
        inside = []
        inLines = []
        isEnded = true
        reconnectMode = .noChange
    }

    /// Stops the scan, and cancels operations without an end.
    func cancelEndlessCalls(alsoConnections: Bool) {
        bluejay?.stopScanning()
        guard alsoConnections else { return }
        let kinds = ledger.pending(bounded: false).filter { $0.what.hasPrefix("\(name) ") }.map(
            \.kind
        )
        if kinds.contains("task") { perform(.cancelEverything(disconnects: true)) }
        if kinds.contains("connect") { perform(.disconnect(immediate: true)) }
    }

    /// The activity of the instance; empty if idle.
    var state: String {
        guard let bluejay else { return "" }
        let states = [
            ("connected", bluejay.isConnected), ("connecting", bluejay.isConnecting),
            ("disconnecting", bluejay.isDisconnecting), ("scanning", bluejay.isScanning),
        ]
        return states.filter(\.1).map(\.0).joined(separator: ", ")
    }

    func observe() {
        guard let bluejay else { return }
        bluejay.register(logObserver: self)
        isConnected = false
        bluejay.register(connectionObserver: self)
        bluejay.register(serviceObserver: self)
        bluejay.register(rssiObserver: self)
        adapters = []
        bluejay.register(adapterObserver: self)
        bluejay.registerDisconnectHandler(handler: self)
    }

    func stopObserving() {
        bluejay?.unregister(connectionObserver: self)
        bluejay?.unregister(serviceObserver: self)
        bluejay?.unregister(rssiObserver: self)
        bluejay?.unregister(adapterObserver: self)
        bluejay?.unregisterDisconnectHandler()
    }

    func release(elsewhere: Bool) {
        ledger.record("\(name) is released")
        guard let bluejay else { return }
        let last = LastReference(bluejay)
        self.bluejay = nil
        guard elsewhere else {
            last.object = nil
            return endListens("its release")
        }
        Thread { [self] in
            last.object = nil
            // The loop receives this in the order of the posts.
            loop.post { [self] in endListens("its release") }
        }.start()
    }

    /// Ends all listens: none may receive anything afterwards.
    func endListens(_ reason: String, keeping: Bool = false) {
        for listen in listens where !(keeping && listen.outlivesConnection) { listen.close(reason) }
    }

    // MARK: Callbacks

    func connected(to peripheral: PeripheralIdentifier) {
        if isConnected { ledger.violate("connected(to:) twice", name) }
        isConnected = true
        ledger.record("\(name) connected")
    }

    func disconnected(from peripheral: PeripheralIdentifier) {
        isConnected = false
        ledger.record("\(name) disconnected")
        endListens("disconnected(from:)", keeping: true)
    }

    func debug(_ text: String) {
        ledger.record("\(name) log: \(text)")
        callAtLogLine()
    }

    func bluetoothAvailable(_ available: Bool) {
        ledger.record("\(name) available \(available)")
    }

    func didDisconnect(
        from peripheral: PeripheralIdentifier,
        with error: (any Error)?,
        willReconnect autoReconnect: Bool
    ) -> AutoReconnectMode {
        ledger.record("\(name) handler: will reconnect \(autoReconnect)")
        return reconnectMode
    }

    func didReadRSSI(
        from peripheral: PeripheralIdentifier,
        RSSI: NSNumber,
        error: (any Error)?
    ) {
        ledger.record("\(name) signal strength")
    }

    func didModifyServices(
        from peripheral: PeripheralIdentifier,
        invalidatedServices: [ServiceIdentifier]
    ) {
        ledger.record("\(name) services changed")
    }
}

struct CallInLines {
    let call: Call
    /// The interval in lines.
    let every: Int
    /// The number of remaining calls.
    private(set) var times: Int
    private var lines = 0

    init(_ call: Call, every: Int, times: Int) {
        self.call = call
        self.every = every
        self.times = times
    }

    /// Counts a line, and returns whether to call in it.
    mutating func isDue() -> Bool {
        lines += 1
        guard lines.isMultiple(of: every) else { return false }
        times -= 1
        return true
    }
}

/// The last reference to an instance, on its way to another thread.
// Its creator passes it on at once: the invariant behind `@unchecked`.
private final class LastReference: @unchecked Swift.Sendable {
    var object: Bluejay?
    init(_ object: Bluejay) { self.object = object }
}
