import Bluejay
import Foundation

/// One instance of a schedule, with what it may hear and what it must not.
///
/// It is used on its loop only: the invariant behind `@unchecked`.
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
    var answer = AutoReconnectMode.noChange
    /// How often everything was cancelled with the connection left alone.
    let cancellations = Cancellations()
    private var inside: [Call] = []
    private var inLines: [CallInLines] = []
    private var isInLine = false
    /// The adapters that it has heard of.
    var adapters: Set<String> = []
    private var isConnected = false
    private var isOver = false

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

    /// Lets a call be made inside the next completion.
    func performInside(_ call: Call) {
        inside.append(call)
    }

    /// Lets a call be made inside log lines, when those that are to be made there before have been.
    func performInLines(_ call: CallInLines) {
        inLines.append(call)
    }

    // A call writes lines of its own, in which nothing is called.
    private func callInLine() {
        guard !isOver, !isInLine, !inLines.isEmpty, inLines[0].isDue() else { return }
        let call = inLines[0].call
        if inLines[0].times == 0 { inLines.removeFirst() }
        isInLine = true
        perform(call)
        isInLine = false
    }

    /// What every completion does in the end: it may call again.
    func completed(_ number: Int, _ result: String) {
        ledger.end(number, result)
        guard !isOver, !inside.isEmpty else { return }
        perform(inside.removeFirst())
    }

    /// Makes no call inside a completion any more.
    func calmDown() {
        inside = []
        inLines = []
        isOver = true
        answer = .noChange
    }

    /// Stops the scan, and gives up what waits for nothing that will come.
    func takeBackWhatHasNoEnd(alsoConnections: Bool) {
        bluejay?.stopScanning()
        guard alsoConnections else { return }
        let kinds = ledger.pending(bounded: false).filter { $0.what.hasPrefix("\(name) ") }.map(
            \.kind
        )
        if kinds.contains("task") { perform(.cancelEverything(disconnects: true)) }
        if kinds.contains("connect") { perform(.disconnect(immediate: true)) }
    }

    /// What it is in the middle of; empty when nothing.
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

    /// Lets the instance go, on the loop or on another thread.
    func release(elsewhere: Bool) {
        ledger.note("\(name) is released")
        guard let bluejay else { return }
        let last = LastReference(bluejay)
        self.bluejay = nil
        guard elsewhere else {
            last.object = nil
            return endListens("its release")
        }
        Thread { [self] in
            last.object = nil
            // The loop hears of it in the order of the posts.
            loop.post { [self] in endListens("its release") }
        }.start()
    }

    /// No listen of before may hear anything from now on.
    func endListens(_ reason: String, keeping: Bool = false) {
        for listen in listens where !(keeping && listen.outlivesConnection) { listen.close(reason) }
    }

    // MARK: What it hears

    func connected(to peripheral: PeripheralIdentifier) {
        if isConnected { ledger.violate("connected(to:) twice", name) }
        isConnected = true
        ledger.note("\(name) connected")
    }

    func disconnected(from peripheral: PeripheralIdentifier) {
        isConnected = false
        ledger.note("\(name) disconnected")
        endListens("disconnected(from:)", keeping: true)
    }

    func debug(_ text: String) {
        ledger.note("\(name) log: \(text)")
        callInLine()
    }

    func bluetoothAvailable(_ available: Bool) {
        ledger.note("\(name) available \(available)")
    }

    func didDisconnect(
        from peripheral: PeripheralIdentifier,
        with error: (any Error)?,
        willReconnect autoReconnect: Bool
    ) -> AutoReconnectMode {
        ledger.note("\(name) handler: will reconnect \(autoReconnect)")
        return answer
    }

    func didReadRSSI(
        from peripheral: PeripheralIdentifier,
        RSSI: NSNumber,
        error: (any Error)?
    ) {
        ledger.note("\(name) signal strength")
    }

    func didModifyServices(
        from peripheral: PeripheralIdentifier,
        invalidatedServices: [ServiceIdentifier]
    ) {
        ledger.note("\(name) services changed")
    }
}

/// A call that is made inside log lines.
struct CallInLines {
    let call: Call
    /// One of so many lines.
    let every: Int
    /// How often it is still made.
    private(set) var times: Int
    private var lines = 0

    init(_ call: Call, every: Int, times: Int) {
        self.call = call
        self.every = every
        self.times = times
    }

    /// Whether it is made in this line; counts it.
    mutating func isDue() -> Bool {
        lines += 1
        guard lines.isMultiple(of: every) else { return false }
        times -= 1
        return true
    }
}

/// The last reference to an instance, on its way to where it goes.
// Whoever makes it gives it away at once: that is the invariant behind `@unchecked`.
private final class LastReference: @unchecked Swift.Sendable {
    var object: Bluejay?
    init(_ object: Bluejay) { self.object = object }
}
