import BluejayCore
import BluejaySimulator
import Foundation
import GameHost
import TestSupport
import Testing

@Suite("A host that loses Bluetooth", .timeLimit(.minutes(15)))
@MainActor
struct FaultTests {
    enum Way: CaseIterable {
        case off, killed, unplugged
    }

    @Test(
        "A loss of Bluetooth disconnects all players; the host returns under its name with Bluetooth",
        arguments: Way.allCases
    )
    func goes(way: Way) async throws {
        try await GameStage.play { stage in
            let first = try await stage.join(1)
            let second = try await stage.join(2)
            try await stage.away(way)
            try await stage.wait(for: "- ", count: 2)
            try await wait { !stage.manager.isAdvertising }
            guard case .waitingForBluetooth(let state) = stage.manager.state else {
                Issue.record("\(stage.manager.state)")
                return
            }
            #expect(state != .poweredOn)
            #expect(stage.brain.journal.filter { $0.hasPrefix("+") }.count == 2)
            try await stage.back(way)
            try await wait { stage.manager.isAdvertising }
            #expect(stage.manager.state == .advertising(name: "Tisch"))
            #expect(stage.brain.journal.filter { $0 == "start" }.count == 1)
            try await first.play([.connect, .subscribe(notifying)])
            try await stage.wait(for: "+ \(first.id) Player 1", count: 2)
            stage.brain.say(.broadcast(Data([1])))
            #expect(try await first.messages(1) == [[1]])
            _ = second
        }
    }

    @Test("A host started while Bluetooth is off waits, and asks the game for a name when it is on")
    func startsOff() async throws {
        try await GameStage.play(.v5_86, { _, options in options.isPowered = false }, starts: false)
        {
            stage in
            var states: [HostState] = []
            let changes = stage.manager.changes
            let reader = Task { @MainActor in for await state in changes { states.append(state) } }
            stage.manager.startAdvertising()
            try await wait { stage.manager.state == .waitingForBluetooth(.poweredOff) }
            #expect(stage.brain.journal.isEmpty)
            await stage.system.perform { $0.setPowered(true, ofAdapter: 0) }
            try await wait { stage.manager.isAdvertising }
            try await wait { states.last == .advertising(name: "Tisch") }
            #expect(states.first == .idle && states.contains(.addingService))
            reader.cancel()
        }
    }

    @Test("A host stopped while Bluetooth is off does not notify a game that it has not asked")
    func stopsOff() async throws {
        try await GameStage.play(.v5_86, { _, options in options.isPowered = false }, starts: false)
        {
            stage in
            stage.manager.startAdvertising()
            try await wait { stage.manager.state == .waitingForBluetooth(.poweredOff) }
            stage.manager.stopAdvertising()
            #expect(stage.brain.journal.isEmpty && stage.manager.state == .idle)
        }
    }

    @Test("Without a bus the state contains an explanation")
    func noBus() async throws {
        let brain = Brain()
        let host = BluetoothHost(
            mainLoop: MainLoop(threadName: "game host"),
            busAddress: "unix:path=/nowhere/bus"
        )
        let manager = BLEHostManager(sdk: brain, host: host)
        manager.startAdvertising()
        try await wait { if case .busUnavailable = manager.bluetoothState { true } else { false } }
        try await wait { "\(manager.state)".contains("the D-Bus system bus is unreachable") }
        #expect(!manager.isAdvertising && brain.journal.isEmpty)
        manager.stopAdvertising()
    }

    @Test(
        "A refused advertisement is reported as a failure, and the host does not count as advertising"
    )
    func refused() async throws {
        try await GameStage.play(
            .v5_86,
            { _, options in options.advertisingInstances = 0 },
            starts: false
        ) { stage in
            stage.manager.startAdvertising()
            try await wait { if case .failed = stage.manager.state { true } else { false } }
            #expect(!stage.manager.isAdvertising)
            stage.manager.stopAdvertising()
            #expect(stage.brain.journal == ["start", "stop"])
        }
    }
}

extension GameStage {
    fileprivate func away(_ way: FaultTests.Way) async throws {
        switch way {
        case .off: await system.perform { $0.setPowered(false, ofAdapter: 0) }
        case .killed: await system.killDaemon()
        case .unplugged: await system.perform { $0.apply(.adapterUnplugged(0)) }
        }
    }

    fileprivate func back(_ way: FaultTests.Way) async throws {
        switch way {
        case .off: await system.perform { $0.setPowered(true, ofAdapter: 0) }
        case .killed:
            var options = SimulatorOptions()
            options.version = .v5_86
            options.timeScale = 0.05
            try await system.startDaemon(options)
        case .unplugged: await system.perform { $0.apply(.adapterPlugged(0)) }
        }
    }
}
