import BluejayCore
import BluejayGATTServer
import BluejayGLib
import BluejaySimulator
import Foundation
import Staging
import TestSupport
import Testing

@Suite("A server whose loop stops", .timeLimit(.minutes(3)))
struct EndedLoopTests {
    private struct Stage {
        let slot: BusSlot
        let system: SimulatedSystem
        let loop: MainLoop
        let server: GATTServer
        let level = LocalCharacteristic(
            uuid: BluetoothUUID(uint16: 0x2A19),
            properties: [.read, .notify],
            value: Data([7]),
            subscriptions: .perCentral
        )
        let service: LocalService
        let advertisement = LocalAdvertisement(serviceUUIDs: [BluetoothUUID(uint16: 0x180F)])

        init(_ loop: MainLoop = MainLoop(threadName: "server")) async throws {
            slot = await BusSlot.acquire()
            var options = SimulatorOptions.accelerated(.v5_86)
            options.controller = .extended
            system = try await SimulatedSystem.start(options)
            self.loop = loop
            server = GATTServer(mainLoop: loop, busAddress: system.busAddress)
            service = LocalService(
                uuid: BluetoothUUID(uint16: 0x180F),
                characteristics: [level]
            )
        }

        func stop() async throws {
            loop.stop()
            try await wait { loop.context.hasEnded }
        }

        /// Lets a central play steps.
        func play(_ steps: [CentralStep]) async -> CentralReport {
            await withCheckedContinuation { continuation in
                Task {
                    await system.perform { world in
                        let central = world.central(address) ?? SimulatedCentral(address: address)
                        if world.central(address) == nil { world.add(central) }
                        central.play(steps) { continuation.resume(returning: $0) }
                    }
                }
            }
        }

        func expectNothingUp(sourceLocation: SourceLocation = #_sourceLocation) {
            #expect(!server.hasStarted, sourceLocation: sourceLocation)
            #expect(server.bluetoothState == .unknown, sourceLocation: sourceLocation)
            #expect(!server.isAdvertising, sourceLocation: sourceLocation)
            #expect(server.centrals.isEmpty, sourceLocation: sourceLocation)
            #expect(server.connectedDevices.isEmpty, sourceLocation: sourceLocation)
            #expect(level.subscribers.isEmpty, sourceLocation: sourceLocation)
            #expect(!level.isSubscribed, sourceLocation: sourceLocation)
            #expect(!service.isAdded, sourceLocation: sourceLocation)
        }

        /// Every call that begins after the end ends at once.
        func expectLater() async throws {
            let calls = AwaitedCalls()
            for (name, call) in EndedLoopTests.calls { calls.begin(name) { try await call(self) } }
            #expect(try await calls.hanging() == [])
            for name in ["add", "advertise", "startAdvertising"] {
                let error = calls.error(of: name) as? BluejayError
                #expect(error?.code == .bluetoothUnavailable, "\(name)")
            }
            expectNothingUp()
        }
    }

    private static let address = "C0:FF:EE:00:00:01"
    private static let central = PeripheralIdentifier(uuid: UUID(), name: nil)

    private static let calls: [String: @Sendable (Stage) async throws -> Void] = [
        "start": { $0.server.start() },
        "add": { try await $0.server.add($0.service) },
        "remove": { try await $0.server.remove($0.service) },
        "advertise": { try await $0.server.advertise($0.advertisement) },
        "startAdvertising": { try await $0.server.startAdvertising($0.advertisement) },
        "stopAdvertising": { await $0.server.stopAdvertising() },
        "notify": { try $0.server.notify(Data([1]), on: $0.level) },
        "notifyAndWait": {
            try await $0.server.notifyAndWait(Data([1]), on: $0.level, to: central)
        },
        "stop": { await $0.server.stop() },
    ]

    @Test(
        "Stopping the loop ends services and advertisements, and later calls fail immediately"
    )
    func serving() async throws {
        let stage = try await Stage()
        stage.server.start()
        try await stage.server.add(stage.service)
        try await stage.server.startAdvertising(stage.advertisement)
        let further = try await stage.server.advertise(stage.advertisement)
        #expect(await stage.play([.connect, .read("2A19"), .subscribe("2A19")]).reads == [[7]])
        try await wait { !stage.level.subscribers.isEmpty && !stage.server.centrals.isEmpty }
        try await stage.stop()
        stage.expectNothingUp()
        #expect(!further.isActive)
        let report = await stage.play([.disconnect, .connect, .read("2A19")])
        #expect(report.reads.isEmpty)
        let calls = AwaitedCalls()
        calls.begin("update") { [advertisement = stage.advertisement] in
            try await further.update(to: advertisement)
        }
        calls.begin("stop") { await further.stop() }
        #expect(try await calls.hanging() == [])
        try await stage.expectLater()
    }

    @Test(
        "Stopping the loop ends pending calls even if bluetoothd does not respond",
        arguments: [false, true]
    )
    func frozen(isServing: Bool) async throws {
        let stage = try await Stage()
        stage.server.start()
        if isServing {
            try await stage.server.add(stage.service)
            try await stage.server.startAdvertising(stage.advertisement)
        }
        await stage.system.perform { $0.apply(.daemonFrozen(for: .seconds(10_000))) }
        let calls = AwaitedCalls()
        calls.begin("add") {
            try await stage.server.add(
                LocalService(uuid: BluetoothUUID(uint16: 0x180D), characteristics: [])
            )
        }
        calls.begin("advertise") { try await stage.server.advertise(stage.advertisement) }
        if isServing {
            calls.begin("remove") { try await stage.server.remove(stage.service) }
            calls.begin("stopAdvertising") { await stage.server.stopAdvertising() }
        }
        try await Task.sleep(for: .milliseconds(100))
        try await stage.stop()
        #expect(try await calls.hanging() == [])
        stage.expectNothingUp()
        try await stage.expectLater()
    }

    @Test("A pending stop ends with the loop")
    func stopping() async throws {
        let stage = try await Stage()
        stage.server.start()
        try await stage.server.add(stage.service)
        await stage.system.perform { $0.apply(.daemonFrozen(for: .seconds(10_000))) }
        let calls = AwaitedCalls()
        calls.begin("stop") { await stage.server.stop() }
        try await wait { !stage.server.isAdvertising }
        try await stage.stop()
        #expect(try await calls.hanging() == [])
        stage.expectNothingUp()
    }

    @Test("A server started or created after the loop has stopped publishes nothing")
    func late() async throws {
        let stage = try await Stage()
        try await stage.stop()
        try await stage.expectLater()
        let late = GATTServer(mainLoop: stage.loop, busAddress: stage.system.busAddress)
        late.start()
        #expect(!late.hasStarted)
        await #expect(throws: BluejayError.self) { try await late.add(stage.service) }
    }

    @Test("After each stop of a loop that runs again, the server can start again")
    func runAgain() async throws {
        let stage = try await Stage(MainLoop(MainContext()))
        for _ in 1...2 {
            async let run: Void = onOwnThread { stage.loop.run(stoppingOn: []) }
            stage.server.start()
            try await stage.server.add(stage.service)
            try await stage.server.startAdvertising(stage.advertisement)
            #expect(stage.server.isAdvertising)
            stage.loop.stop()
            try await run
            stage.expectNothingUp()
        }
    }
}
