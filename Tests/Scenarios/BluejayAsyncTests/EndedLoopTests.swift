import Bluejay
import BluejayAsync
import BluejayGLib
import BluejaySimulator
import Foundation
import TestSupport
import Testing

@Suite("An instance whose loop stops", .timeLimit(.minutes(3)))
struct EndedLoopTests {
    private typealias Call = @Sendable (Bluejay) async throws -> Void

    private static let events: [String: Call] = [
        "connectionEvents": { for await _ in $0.connectionEvents {} },
        "adapterEvents": { for await _ in $0.adapterEvents {} },
        "peripheralEvents": { for await _ in $0.peripheralEvents {} },
    ]

    private static let scans: [String: Call] = [
        "scan": { for try await _ in $0.scan(allowDuplicates: true) {} },
        "scan(besideQueue:)": {
            for try await _ in $0.scan(matching: ScanFilter.everything, besideQueue: true) {}
        },
        "watch": { for try await _ in $0.watch(for: ScanFilter.everything) {} },
    ]

    private static let values: [String: Call] = [
        "read": { let _: UInt8 = try await $0.read(from: slow) },
        "write": { try await $0.write(to: control, value: UInt8(1)) },
        "values": { for try await _ in $0.values(of: measurement) {} },
        "values(isKept:)": {
            let listen = $0.values(
                of: measurement,
                multipleListenOption: .replaceable,
                isKept: true
            )
            for try await _ in listen {}
        },
        "results": {
            for try await _ in $0.results(of: measurement, as: UInt8.self) {}
        },
        "pair": { try await $0.pair() },
        "batteryLevel": { _ = try await $0.batteryLevel() },
        "deviceInformation": { _ = try await $0.deviceInformation() },
        "run(backgroundTask:)": {
            try await $0.run { peripheral in
                let _: UInt8 = try peripheral.read(from: slow)
            }
        },
    ]

    private static let connects: [String: Call] = [
        "connect": { try await $0.connect(absent) },
        "waitUntilAvailable": { try await $0.waitUntilReady() },
        "disconnect": { try await $0.disconnect() },
    ]

    private static let adapters: [String: Call] = [
        "listAdapters": { _ = try await $0.listAdapters() },
        "setPowered": { try await $0.setPowered(true) },
        "setAdapterAlias": { try await $0.setAdapterAlias("Desk") },
        "useAdapter": { try await $0.useAdapter("hci0") },
        "connectedPeripherals": { _ = try await $0.connectedPeripherals() },
        "knownPeripherals": { _ = try await $0.knownPeripherals() },
        "forget": { try await $0.forget(absent) },
    ]

    private static let others: [String: Call] = [
        "start": { await $0.start() },
        "stopScanning": { await $0.stopScanning() },
        "endListen": { try await $0.endListen(to: measurement) },
        "cancelEverything": { await $0.cancelEverything() },
        "cancelPairing": { try await $0.cancelPairing() },
        "setAlias": { try await $0.setAlias("Gadget") },
        "readRSSI": { _ = try await $0.readRSSI() },
        "mtu": { _ = try await $0.mtu() },
        "isListening": { _ = try await $0.isListening(to: measurement) },
        "onLoop": { _ = await $0.onLoop { $0.isConnected } },
        "readyToSendWriteWithoutResponse": { try await $0.readyToSendWriteWithoutResponse() },
        "stopAndExtractBluetoothState": { await $0.stopAndExtractBluetoothState() },
    ]

    private static let absent = PeripheralIdentifier(uuid: UUID(), name: nil)

    private static func begin(_ groups: [String: Call]..., on bluejay: Bluejay) -> AwaitedCalls {
        let calls = AwaitedCalls()
        for (name, call) in groups.joined() { calls.begin(name) { try await call(bluejay) } }
        return calls
    }

    private static func stop(_ bluejay: Bluejay) async throws {
        bluejay.mainLoop.stop()
        try await wait { bluejay.mainLoop.context.hasEnded }
    }

    /// No state says that anything is up.
    private static func expectNothingUp(
        _ bluejay: Bluejay,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(!bluejay.hasStarted, sourceLocation: sourceLocation)
        #expect(!bluejay.isBluetoothAvailable, sourceLocation: sourceLocation)
        #expect(!bluejay.isBluetoothStateUpdateImminent, sourceLocation: sourceLocation)
        #expect(!bluejay.isConnected, sourceLocation: sourceLocation)
        #expect(bluejay.connectedPeripheral == nil, sourceLocation: sourceLocation)
        #expect(!bluejay.isConnecting, sourceLocation: sourceLocation)
        #expect(!bluejay.isDisconnecting, sourceLocation: sourceLocation)
        #expect(!bluejay.isScanning, sourceLocation: sourceLocation)
        #expect(bluejay.services.isEmpty, sourceLocation: sourceLocation)
        #expect(bluejay.adapters.isEmpty, sourceLocation: sourceLocation)
        #expect(bluejay.adapter == nil, sourceLocation: sourceLocation)
    }

    /// Every call that begins after the end ends at once.
    private static func expectLater(_ bluejay: Bluejay) async throws {
        let calls = begin(
            events,
            scans,
            values,
            connects,
            adapters,
            others,
            on: bluejay
        )
        #expect(try await calls.hanging() == [])
        for name in ["connect", "scan", "watch", "read", "values", "setPowered", "listAdapters"] {
            let error = calls.error(of: name) as? BluejayError
            #expect(error?.code == .stopped, "\(name): \(String(describing: error))")
        }
        expectNothingUp(bluejay)
    }

    @Test("Stopping the loop ends calls, streams and state, and later calls end immediately")
    func connected() async throws {
        let stage = try await AsyncStage.connected()
        let bluejay = stage.bluejay
        let calls = Self.begin(Self.events, Self.values, on: bluejay)
        try await wait { calls.pending.contains("values(isKept:)") }
        try await Self.stop(bluejay)
        #expect(try await calls.hanging() == [])
        #expect(try await stage.gadget { !$0.isConnected })
        Self.expectNothingUp(bluejay)
        try await Self.expectLater(bluejay)
    }

    @Test("Stopping the loop ends scans, watches and connection attempts")
    func searching() async throws {
        let stage = try await AsyncStage()
        let bluejay = stage.bluejay
        let calls = Self.begin(Self.events, Self.scans, on: bluejay)
        let other = Bluejay(mainLoop: bluejay.mainLoop, busAddress: stage.system.busAddress)
        await other.start()
        let absent = try PeripheralIdentifier(
            address: "C0:00:00:00:00:77",
            isRandomAddress: true,
            name: nil
        )
        calls.begin("connect") { try await other.connect(absent) }
        try await wait { bluejay.isScanning && other.isConnecting }
        try await Self.stop(bluejay)
        #expect(try await calls.hanging() == [])
        Self.expectNothingUp(bluejay)
        Self.expectNothingUp(other)
        try await Self.expectLater(bluejay)
        try await Self.expectLater(other)
    }

    @Test("Stopping the loop ends calls even if bluetoothd does not respond")
    func frozen() async throws {
        let stage = try await AsyncStage.connected()
        let bluejay = stage.bluejay
        await stage.system.perform { $0.apply(.daemonFrozen(for: .seconds(10_000))) }
        let calls = Self.begin(Self.events, Self.adapters, Self.values, on: bluejay)
        calls.begin("disconnect") { try await bluejay.disconnect() }
        let other = Bluejay(mainLoop: bluejay.mainLoop, busAddress: stage.system.busAddress)
        await other.start()
        calls.begin("waitUntilAvailable") {
            for await event in other.connectionEvents where event == .connected(Self.absent) {}
        }
        try await Self.stop(bluejay)
        #expect(try await calls.hanging() == [])
        Self.expectNothingUp(bluejay)
        Self.expectNothingUp(other)
        try await Self.expectLater(bluejay)
    }

    @Test("An instance started or created after the loop has stopped does nothing")
    func late() async throws {
        let stage = try await AsyncStage(starts: false)
        try await Self.stop(stage.bluejay)
        try await Self.expectLater(stage.bluejay)
        let late = Bluejay(mainLoop: stage.bluejay.mainLoop, busAddress: stage.system.busAddress)
        await late.start()
        try await Self.expectLater(late)
    }

    @Test("A connection that the next run restores stays up, although the state no longer shows it")
    func restored() async throws {
        let stage = try await AsyncStage(starts: false)
        let bluejay = stage.bluejay
        let restorer = Restorer()
        let identifier = "ended-loop-\(UUID().uuidString)"
        await stage.onLoop { bluejay in
            let config = BackgroundRestoreConfig(
                restoreIdentifier: identifier,
                backgroundRestorer: restorer,
                listenRestorer: restorer
            )
            bluejay.start(
                mode: .new(
                    StartOptions(
                        enableBluetoothAlert: false,
                        backgroundRestore: .enable(config)
                    )
                )
            )
        }
        try await bluejay.connect(bluejay.find(), timeout: .seconds(10))
        let calls = Self.begin(Self.events, Self.values, on: bluejay)
        try await Self.stop(bluejay)
        #expect(try await calls.hanging() == [])
        #expect(try await stage.gadget { $0.isConnected })
        Self.expectNothingUp(bluejay)
        withExtendedLifetime(restorer) {}
    }

    @Test("Each stop of a loop that runs again ends the event streams and keeps the instance")
    func runAgain() async throws {
        let stage = try await AsyncStage(starts: false)
        let loop = MainLoop(MainContext())
        let bluejay = Bluejay(mainLoop: loop, busAddress: stage.system.busAddress)
        for _ in 1...2 {
            let calls = Self.begin(Self.events, on: bluejay)
            async let run: Void = onOwnThread { loop.run(stoppingOn: []) }
            await bluejay.start()
            try await bluejay.waitUntilReady()
            loop.stop()
            try await run
            #expect(try await calls.hanging() == [])
            #expect(bluejay.hasStarted)
        }
    }
}

private final class Restorer: BackgroundRestorer, ListenRestorer, Swift.Sendable {
    func didRestoreConnection(to peripheral: PeripheralIdentifier)
        -> BackgroundRestoreCompletion
    { .continue }

    func didFailToRestoreConnection(
        to peripheral: PeripheralIdentifier,
        error: any Error
    ) -> BackgroundRestoreCompletion { .continue }

    func didReceiveUnhandledListen(
        from peripheral: PeripheralIdentifier,
        on characteristic: CharacteristicIdentifier,
        with value: Data?
    ) -> ListenRestoreAction { .stopListen }
}
