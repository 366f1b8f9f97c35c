import Bluejay
import BluejayGLib
import BluejaySimulator
import Foundation
import Staging
import TestSupport
import Testing

private let text = DescriptorIdentifier.userDescription(of: location)

@Suite("Calls from any thread", .timeLimit(.minutes(15)))
struct AnyThreadTests {
    private static let gadget = PeripheralScript.gadget([
        ScriptedCharacteristic("2A37", ["notify"], .value([])),
        ScriptedCharacteristic("2A38", ["read"], .value([7])),
        ScriptedCharacteristic("2A39", ["read", "write"], .value([0])),
    ])

    @Test(
        "Calls and settings of a thread take effect in order, with callbacks on the loop"
    )
    func order() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: Self.gadget)
            let central = connected.central
            let bluejay = central.bluejay
            await central.forget()
            let areCallsMade = DispatchSemaphore(value: 0)
            try await onOwnThread {
                let note: @Sendable (String) -> Void = { name in
                    let limit = bluejay.defaultTimeouts.characteristics
                    central.recordEvent("\(name) \(bluejay.mainLoop.isCurrent) \(limit)")
                }
                // Otherwise bluetoothd may answer the first call before the last one is made.
                bluejay.mainLoop.post {
                    areCallsMade.wait()
                    central.recordEvent("posted")
                }
                bluejay.write(to: controlPoint, value: UInt8(1)) { _ in note("first") }
                bluejay.mainLoop.post { central.recordEvent("after the call") }
                bluejay.defaultTimeouts.characteristics = .seconds(5)
                bluejay.write(to: controlPoint, value: UInt8(2)) { _ in note("second") }
                bluejay.disconnect { _ in note("disconnected") }
                bluejay.connect(connected.identifier) { _ in note("connected") }
                bluejay.read(from: location) { (_: ReadResult<Data>) in note("third") }
                areCallsMade.signal()
            }
            await central.wait(for: "third")
            let record = await central.record().filter { !$0.hasSuffix("Gadget") }
            let limit = Timeout.seconds(5)
            #expect(record.prefix(2) == ["posted", "after the call"])
            #expect(
                record.dropFirst(2).elementsEqual(
                    ["first", "second", "disconnected", "connected", "third"].map {
                        "\($0) true \(limit)"
                    }
                )
            )
            let writes = try await connected.peripheral.writes()
            #expect(writes.count == 2)
        }
    }

    @Test("Reading a setting returns the last value set, even before the loop has applied it")
    func settings() async throws {
        let bluejay = Bluejay(mainLoop: MainLoop(threadName: "settings"))
        let isHeld = DispatchSemaphore(value: 0)
        bluejay.mainLoop.post { isHeld.wait() }
        try await onOwnThread {
            bluejay.defaultTimeouts.connect = .seconds(1)
            bluejay.defaultTimeouts.characteristics = .seconds(2)
            bluejay.reconnectOptions.maximumAttempts = 3
            bluejay.reconnectOptions.initialDelay = .seconds(4)
            bluejay.broadcastErrorsToListeners = true
            bluejay.usesWriteSockets = false
        }
        #expect(
            bluejay.defaultTimeouts
                == DefaultTimeouts(connect: .seconds(1), characteristics: .seconds(2))
        )
        isHeld.signal()
        let (options, sockets, broadcasts) = await withCheckedContinuation { continuation in
            bluejay.mainLoop.post {
                continuation.resume(
                    returning: (
                        bluejay.reconnectOptions, bluejay.usesWriteSockets,
                        bluejay.broadcastErrorsToListeners
                    )
                )
            }
        }
        #expect(options.maximumAttempts == 3 && options.initialDelay == .seconds(4))
        #expect(!sockets && broadcasts)
    }

    @Test("Any thread can read the peripheral state that the loop published")
    func published() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = try await context.connected(to: Self.gadget).central
            let bluejay = central.bluejay
            await central.listen(measurement)
            await central.settle()
            #expect(try await central.read { try $0.bluejay.mtu() } == 517)
            let onLoop = await central.read { $0.bluejay.services }
            #expect(!onLoop.isEmpty)
            try await onOwnThread { () throws in
                #expect(bluejay.services == onLoop)
                #expect(try bluejay.isListening(to: measurement))
                #expect(try !bluejay.isListening(to: location))
                #expect(try bluejay.mtu() == 517)
                #expect(try bluejay.peripheralDetails().peripheral.name == "Gadget")
                #expect(try bluejay.maximumWriteValueLength(for: .withResponse) == 512)
                #expect(try bluejay.maximumWriteValueLength(for: .withoutResponse) == 512)
                #expect(bluejay.canSendWriteWithoutResponse)
            }
            try await central.disconnect()
            try await onOwnThread { () throws in
                #expect(bluejay.services.isEmpty)
                #expect(throws: BluejayError.notConnected) { try bluejay.mtu() }
                #expect(throws: BluejayError.notConnected) { try bluejay.peripheralDetails() }
                #expect(throws: BluejayError.notConnected) {
                    try bluejay.isListening(to: measurement)
                }
                #expect(throws: BluejayError.notConnected) {
                    try bluejay.maximumWriteValueLength(for: .withResponse)
                }
                #expect(throws: BluejayError.notConnected) { try bluejay.readRSSI() }
            }
        }
    }

    @Test("A stop waits for the loop, and is deferred if the loop is waiting for the caller")
    func stop() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = try await context.connected(to: Self.gadget).central
            let bluejay = central.bluejay
            await central.run { _ in
                let isDone = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    #expect(bluejay.stopAndExtractBluetoothState().peripheral == nil)
                    isDone.signal()
                }
                isDone.wait()
                #expect(bluejay.hasStarted)
            }
            #expect(await central.state(\.hasStarted) == false)
            await central.run { $0.bluejay.start() }
            let peripheral = try await onOwnThread {
                bluejay.stopAndExtractBluetoothState().peripheral?.identifier
            }
            #expect(peripheral == nil)
            #expect(!bluejay.hasStarted)
        }
    }

    @Test("Ten threads can call the whole API at the same time")
    func tenThreads() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: Self.gadget)
            let central = connected.central
            await central.forget()
            let observer = Everybody()
            let (ends, end) = AsyncStream<Bool>.makeStream()
            let bluejay = central.bluejay
            try await onOwnThreads(10) { number in
                let caller = Caller(
                    bluejay: bluejay,
                    peripheral: connected.identifier,
                    observer: observer,
                    ended: { end.yield(bluejay.mainLoop.isCurrent) }
                )
                caller.callEverything(number)
            }
            for await isOnLoop in ends.prefix(10 * Caller.endCount) { #expect(isOnLoop) }
            try await onOwnThreads(10) { _ in
                _ = bluejay.stopAndExtractBluetoothState()
                #expect(!bluejay.hasStarted)
            }
        }
    }
}

private struct Caller: @unchecked Swift.Sendable {
    static let endCount = 27

    let bluejay: Bluejay
    let peripheral: PeripheralIdentifier
    let observer: Everybody
    let ended: @Sendable () -> Void

    func callEverything(_ number: Int) {
        bluejay.start()
        observe()
        setAndGet(number)
        scan()
        transfer()
        askAdapters()
        bluejay.pair { _ in ended() }
        bluejay.cancelPairing { _ in ended() }
        bluejay.connect(peripheral) { _ in ended() }
        bluejay.connect(toFirst: .namePrefix("Gadget"), within: 1) { _ in ended() }
        bluejay.stopScanning()
        if number == 5 { bluejay.cancelEverything(shouldDisconnect: false) }
        bluejay.disconnect { _ in ended() }
        bluejay.unregister(connectionObserver: observer)
        bluejay.unregister(serviceObserver: observer)
        bluejay.unregister(peripheralObserver: observer)
        bluejay.unregister(adapterObserver: observer)
        bluejay.unregister(rssiObserver: observer)
        bluejay.unregister(logObserver: observer)
        bluejay.unregisterDisconnectHandler()
    }

    private func observe() {
        bluejay.register(connectionObserver: observer)
        bluejay.register(serviceObserver: observer)
        bluejay.register(peripheralObserver: observer)
        bluejay.register(adapterObserver: observer)
        bluejay.register(rssiObserver: observer)
        bluejay.register(logObserver: observer)
        bluejay.registerDisconnectHandler(handler: observer)
        bluejay.setPairingHandler { _, _, answer in answer.reject() }
    }

    private func setAndGet(_ number: Int) {
        bluejay.broadcastErrorsToListeners = number.isMultiple(of: 2)
        bluejay.reconnectOptions.maximumAttempts = number
        bluejay.defaultTimeouts.connect = .seconds(20)
        bluejay.usesWriteSockets = number.isMultiple(of: 2)
        _ = (bluejay.hasStarted, bluejay.bluetoothState, bluejay.isBluetoothAvailable)
        _ = (bluejay.isConnecting, bluejay.isConnected, bluejay.connectedPeripheral)
        _ = (bluejay.isDisconnecting, bluejay.shouldAutoReconnect, bluejay.isScanning)
        _ = (bluejay.isBackgroundRestorationEnabled, bluejay.isBluetoothStateUpdateImminent)
        _ = (bluejay.broadcastErrorsToListeners, bluejay.reconnectOptions)
        _ = (bluejay.defaultTimeouts, bluejay.usesWriteSockets, bluejay.adapters)
        _ = (bluejay.adapter, bluejay.services, bluejay.canSendWriteWithoutResponse)
        _ = (try? bluejay.isListening(to: measurement), try? bluejay.mtu())
        _ = (try? bluejay.peripheralDetails(), try? bluejay.readRSSI())
        _ = try? bluejay.maximumWriteValueLength(for: .withoutResponse)
    }

    private func scan() {
        bluejay.scan { (_: ScanDiscovery, _) in
            .stop
        } stopped: { (_, _) in
            ended()
        }
        bluejay.scan { (_: ScanDiscovery) in
            .stop
        } stopped: { (_: (any Error)?) in
            ended()
        }
        bluejay.scan(matching: .everything, besideQueue: true) { (_: ScanDiscovery) in
            .stop
        } stopped: { (_: (any Error)?) in
            ended()
        }
        bluejay.watch(for: .everything) { _ in
            .stop
        } stopped: { _ in
            ended()
        }
    }

    private func transfer() {
        bluejay.read(from: location) { (_: ReadResult<Data>) in ended() }
        bluejay.read(from: location, as: UInt8.self) { _ in ended() }
        bluejay.write(to: controlPoint, value: UInt8(1)) { _ in ended() }
        bluejay.listen(to: measurement, multipleListenOption: .replaceable) {
            (_: ReadResult<Data>) in
        }
        bluejay.endListen(to: measurement) { _ in ended() }
        bluejay.read(from: text, as: String.self) { _ in ended() }
        bluejay.write(to: text, value: "A") { _ in ended() }
        bluejay.batteryLevel { _ in ended() }
        bluejay.deviceInformation { _ in ended() }
        bluejay.setAlias("A") { _ in ended() }
        bluejay.readRSSI { _ in ended() }
        bluejay.run { _ in
        } completionOnMainThread: { (_: RunResult<Void>) in
            ended()
        }
    }

    private func askAdapters() {
        bluejay.listAdapters { _ in ended() }
        bluejay.setPowered(true) { _ in ended() }
        bluejay.setAdapterAlias("A") { _ in ended() }
        bluejay.useAdapter("hci0") { _ in ended() }
        bluejay.connectedPeripherals { _ in ended() }
        bluejay.knownPeripherals { _ in ended() }
        bluejay.forget(peripheral) { _ in ended() }
    }
}

private final class Everybody: ConnectionObserver, ServiceObserver, PeripheralObserver,
    AdapterObserver, RSSIObserver, LogObserver, DisconnectHandler, Swift.Sendable
{
    func didModifyServices(
        from peripheral: PeripheralIdentifier,
        invalidatedServices: [ServiceIdentifier]
    ) {}

    func didReadRSSI(from peripheral: PeripheralIdentifier, RSSI: NSNumber, error: (any Error)?) {}

    func didDisconnect(
        from peripheral: PeripheralIdentifier,
        with error: (any Error)?,
        willReconnect: Bool
    ) -> AutoReconnectMode { .noChange }

    func debug(_ text: String) {}
}
