import Bluejay
import BluejayGLib
import Foundation
import TestSupport
import Testing

@testable import BluejayGATTServer

@Suite("Server state on other threads", .timeLimit(.minutes(15)))
struct ThreadTests {
    @Test("Any thread can read the state that the callbacks reported")
    func state() async throws {
        try await ServerStage.withServer { stage in
            let server = try #require(await stage.run { $0.server })
            #expect(server.hasStarted)
            #expect(server.bluetoothState == .poweredOn)
            #expect(!server.isAdvertising)
            await stage.run(AvailabilityTests.advertise)
            await stage.wait(for: "advertising")
            #expect(server.isAdvertising)
            await stage.run { $0.daemon?.setConnected(true) }
            await stage.wait(for: "phone connected")
            #expect(server.connectedDevices.map(\.name) == ["phone"])
            await stage.run { $0.server?.stopAdvertising() }
            await stage.wait(for: "unregistered advertisement")
            #expect(!server.isAdvertising)
            await stage.run { $0.daemon?.setPowered(false) }
            await stage.wait(for: "state \(BluetoothState.poweredOff)")
            #expect(server.bluetoothState == .poweredOff)
            await stage.run { stage in stage.server?.stop { stage.note("stopped") } }
            await stage.wait(for: "stopped")
            #expect(!server.hasStarted)
            #expect(server.connectedDevices.isEmpty)
        }
    }

    @Test("Completions run after the call returns, so repeated calls do not grow the stack")
    func later() async throws {
        try await ServerStage.with(daemon: false) { stage in
            await stage.run { stage in
                let server = GATTServer(mainLoop: stage.loop)
                stage.server = server
                Self.addAgain(server, stage, 1_000)
                stage.note("called")
            }
            let journal = await stage.wait(for: "enough")
            #expect(journal == ["called", "enough"])
            await stage.run { stage in
                stage.server?.stopAdvertising { stage.note("not advertising") }
                stage.server?.stop { stage.note("stopped") }
                stage.note("called")
            }
            #expect(await stage.wait(for: "stopped") == ["called", "not advertising", "stopped"])
        }
    }

    static func addAgain(_ server: GATTServer, _ stage: ServerStage, _ count: Int) {
        guard count > 0 else { return stage.note("enough") }
        server.add(LocalService(uuid: BluetoothUUID(uint16: 0x180D), characteristics: [])) { _ in
            addAgain(server, stage, count - 1)
        }
    }
}

@Suite("Server calls from other threads", .timeLimit(.minutes(15)))
struct OffLoopTests {
    private static func characteristic() -> LocalCharacteristic {
        LocalCharacteristic(
            uuid: BluetoothUUID(uint16: 0x2A37),
            properties: .notify,
            subscriptions: .perCentral
        )
    }

    @Test("Calls from another thread run on the loop, in order")
    func elsewhere() async throws {
        try await ServerStage.withServer { stage in
            let server = try #require(await stage.run { $0.server })
            try await onOwnThread {
                let note: @Sendable (String) -> Void = { name in
                    stage.note("\(name) \(stage.loop.isCurrent)")
                }
                server.onStateChange = { _ in }
                #expect(server.onStateChange != nil)
                server.start()
                server.onStateChange = nil
                #expect(server.onStateChange == nil)
                server.add(LocalService(uuid: BluetoothUUID(uint16: 0x180D), characteristics: [])) {
                    _ in note("added")
                }
                let advertising = server.advertise(LocalAdvertisement()) { _ in note("advertised") }
                advertising.onEnd = { _ in note("ended") }
                advertising.update(to: LocalAdvertisement(localName: "A")) { _ in note("updated") }
                advertising.stop { note("advertising stopped") }
                server.stop { note("stopped") }
            }
            let journal = await stage.wait(for: "stopped true")
            let ours = journal.filter { $0.hasSuffix(" true") || $0.hasSuffix(" false") }
            #expect(
                Set(ours) == [
                    "added true", "advertised true", "updated true", "advertising stopped true",
                    "stopped true",
                ]
            )
            #expect(ours.last == "stopped true")
        }
    }

    @Test(
        "A call with a result waits for the loop, and fails if the loop is waiting for it"
    )
    func results() async throws {
        try await ServerStage.withServer { stage in
            let server = try #require(await stage.run { $0.server })
            try await onOwnThread {
                let unpublished = Self.characteristic()
                #expect(throws: BluejayError.notAdded(unpublished.uuid)) {
                    try server.notify(Data([1]), on: unpublished)
                }
                let central = PeripheralIdentifier(uuid: UUID(), name: "phone")
                #expect(throws: BluejayError.notAdded(unpublished.uuid)) {
                    try server.notify(Data([1]), on: unpublished, to: central)
                }
            }
            let error = await stage.run { _ in
                let isDone = DispatchSemaphore(value: 0)
                let caught = LockedValue<BluejayError?>(nil)
                Thread.detachNewThread {
                    do {
                        try server.notify(Data([1]), on: Self.characteristic())
                    } catch {
                        caught.value = error as? BluejayError
                    }
                    isDone.signal()
                }
                isDone.wait()
                return caught.value
            }
            #expect(error == .blockedMainLoop)
        }
    }

    @Test("Ten threads can call the whole API at the same time")
    func tenThreads() async throws {
        try await ServerStage.withServer { stage in
            let server = try #require(await stage.run { $0.server })
            let (ends, end) = AsyncStream<Bool>.makeStream()
            try await onOwnThreads(10) { number in
                let note: @Sendable () -> Void = { end.yield(stage.loop.isCurrent) }
                Self.callEverything(server, number, note)
            }
            for await isOnLoop in ends.prefix(70) { #expect(isOnLoop) }
        }
    }

    private static func callEverything(
        _ server: GATTServer,
        _ number: Int,
        _ note: @escaping @Sendable () -> Void
    ) {
        server.start()
        server.onStateChange = { _ in }
        server.onServiceEnded = { _, _ in }
        server.onAdvertisingEnded = { _ in }
        server.onConnectionChange = { _, _ in }
        server.onCentralChange = { _ in }
        server.pairingHandler = { _, _, answer in answer.reject() }
        if number.isMultiple(of: 2) { server.pairingHandler = nil }
        let handlers: [Any?] = [
            server.onStateChange, server.onServiceEnded, server.onAdvertisingEnded,
            server.onConnectionChange, server.onCentralChange, server.pairingHandler,
        ]
        #expect(handlers.count == 6)
        let characteristic = characteristic()
        let service = LocalService(
            uuid: BluetoothUUID(uint16: 0x1900 + UInt16(number)),
            characteristics: [characteristic]
        )
        let central = PeripheralIdentifier(uuid: UUID(), name: "phone")
        server.add(service) { _ in note() }
        _ = try? server.notify(Data([1]), on: characteristic)
        try? server.notify(Data([1]), on: characteristic, to: central)
        server.notify(Data([1]), on: characteristic, to: central) { _ in note() }
        server.remove(service) { _ in note() }
        let advertising = server.advertise(LocalAdvertisement()) { _ in note() }
        advertising.onEnd = { _ in }
        _ = (advertising.isActive, advertising.advertisement, advertising.onEnd)
        advertising.update(to: LocalAdvertisement(localName: "A")) { _ in note() }
        advertising.stop { note() }
        server.startAdvertising(LocalAdvertisement())
        server.stopAdvertising { note() }
        _ = (server.hasStarted, server.bluetoothState, server.isAdvertising, server.canSetTxPower)
        _ = (server.connectedDevices, server.centrals, server.addressing)
        _ = server.rejectedRequestCount
    }
}
