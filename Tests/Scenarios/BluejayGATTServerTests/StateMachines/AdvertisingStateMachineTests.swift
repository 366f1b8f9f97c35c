import Testing

@testable import BluejayGATTServer

@Suite("Registrations of an advertisement")
struct AdvertisingStateMachineTests {
    typealias Machine = AdvertisingStateMachine<String>

    /// A machine that bluetoothd has accepted as registration 1.
    static func on(hasRoom: Bool = true) -> Machine {
        var machine = Machine()
        machine.hasRoom = hasRoom
        _ = machine.start()
        _ = machine.started(1, nil)
        return machine
    }

    @Test("An advertisement starts once, and stops when bluetoothd has removed it")
    func life() {
        var machine = Machine()
        #expect(machine.start() == [.register(1, 0)])
        #expect(machine.start().isEmpty)
        #expect(machine.started(1, nil) == [.completeStart(.succeeded)])
        #expect(machine.registration == 1)
        #expect(machine.stop() == [.withdraw(1)])
        #expect(machine.stop().isEmpty)
        #expect(machine.removed(1) == [.dispose, .completeStop, .completeStop])
        #expect(machine.stop() == [.completeStop])
        #expect(machine.isEnded)
    }

    @Test("A rejected start ends the advertisement")
    func refused() {
        var machine = Machine()
        _ = machine.start()
        #expect(machine.removed(1).isEmpty)
        #expect(
            machine.started(1, "full", isFull: true) == [.dispose, .completeStart(.failed("full"))]
        )
        #expect(machine.update(1) == [.completeUpdate(1, .cancelled)])
    }

    @Test("A stop during the start cancels it")
    func stoppedEarly() {
        var machine = Machine()
        _ = machine.start()
        #expect(machine.update(1).isEmpty)
        #expect(
            machine.stop() == [
                .withdraw(1), .completeStart(.cancelled), .completeUpdate(1, .cancelled),
            ]
        )
        #expect(machine.started(1, "withdrawn").isEmpty)
        #expect(machine.removed(1) == [.dispose, .completeStop])
    }

    // MARK: Connections

    @Test("After a connection, the next registration starts before the old one is withdrawn")
    func renewed() {
        var machine = Self.on()
        #expect(machine.connected() == [.register(2, 0)])
        #expect(machine.started(2, nil) == [.withdraw(1)])
        #expect(machine.registration == 2)
        #expect(machine.removed(1).isEmpty)
        #expect(machine.connected() == [.register(3, 0)])
    }

    @Test("On a full adapter, the old registration is withdrawn first")
    func renewedWithoutRoom() {
        var machine = Self.on(hasRoom: false)
        #expect(machine.connected() == [.withdraw(1)])
        #expect(machine.removed(1) == [.register(2, 0)])
        #expect(machine.started(2, nil).isEmpty)
        #expect(machine.registration == 2)
    }

    @Test("If the adapter turns out to be full, the old registration is withdrawn first")
    func full() {
        var machine = Self.on()
        _ = machine.connected()
        _ = machine.removed(2)
        #expect(machine.started(2, "full", isFull: true) == [.withdraw(1)])
        #expect(machine.removed(1) == [.register(3, 0)])
    }

    @Test("Connections during a renewal cause exactly one more renewal")
    func connectedMeanwhile() {
        var machine = Self.on()
        _ = machine.connected()
        #expect(machine.connected().isEmpty)
        #expect(machine.connected().isEmpty)
        #expect(machine.started(2, nil) == [.withdraw(1), .register(3, 0)])
        #expect(machine.started(3, nil) == [.withdraw(2)])
        #expect(machine.removed(1).isEmpty)
        #expect(machine.removed(2).isEmpty)
    }

    @Test(
        "If a renewal is rejected, the old registration remains until a retry succeeds"
    )
    func renewalRefused() {
        var machine = Self.on()
        _ = machine.connected()
        _ = machine.removed(2)
        #expect(machine.started(2, "no").isEmpty)
        #expect(machine.registration == 1)
        #expect(machine.retry() == [.register(3, 0)])
        #expect(machine.started(3, nil) == [.withdraw(1)])
        #expect(machine.retry().isEmpty)
    }

    @Test("If a renewal on a full adapter is rejected, the advertisement waits for a retry")
    func out() {
        var machine = Self.on(hasRoom: false)
        _ = machine.connected()
        _ = machine.removed(1)
        _ = machine.removed(2)
        #expect(machine.started(2, "no").isEmpty)
        #expect(machine.registration == nil)
        #expect(machine.connected().isEmpty)
        #expect(machine.retry() == [.register(3, 0)])
        #expect(machine.retry().isEmpty)
        _ = machine.removed(3)
        #expect(machine.started(3, "no").isEmpty)
        #expect(machine.update(1) == [.register(4, 1)])
        #expect(machine.started(4, nil) == [.completeUpdate(1, .succeeded)])
        #expect(machine.stop() == [.withdraw(4)])
    }

    @Test("A registration that bluetoothd lost and restored is not stale")
    func lost() {
        var machine = Self.on()
        _ = machine.connected()
        _ = machine.connected()
        machine.lost(1)
        _ = machine.removed(2)
        #expect(machine.started(2, "unavailable").isEmpty)
        machine.lost(1)
        #expect(machine.retry().isEmpty)
        #expect(machine.connected() == [.register(3, 0)])
    }

    // MARK: Updates

    @Test("Updates run in order, each before the old registration is withdrawn")
    func updates() {
        var machine = Self.on()
        #expect(machine.update(1) == [.register(2, 1)])
        #expect(machine.update(2).isEmpty)
        #expect(machine.version == 0)
        #expect(
            machine.started(2, nil) == [
                .withdraw(1), .completeUpdate(1, .succeeded), .register(3, 2),
            ]
        )
        #expect(machine.version == 1)
        #expect(machine.started(3, nil) == [.withdraw(2), .completeUpdate(2, .succeeded)])
    }

    @Test("A rejected update keeps the old content")
    func updateRefused() {
        var machine = Self.on()
        _ = machine.update(1)
        _ = machine.removed(2)
        #expect(machine.started(2, "no") == [.completeUpdate(1, .failed("no"))])
        #expect(machine.registration == 1)
        #expect(machine.version == 0)
        #expect(machine.retry().isEmpty)
    }

    @Test("On a full adapter, a rejected update restores the old content")
    func updateRefusedWithoutRoom() {
        var machine = Self.on(hasRoom: false)
        #expect(machine.update(1) == [.withdraw(1)])
        #expect(machine.removed(1) == [.register(2, 1)])
        _ = machine.removed(2)
        #expect(machine.started(2, "no") == [.register(3, 0), .completeUpdate(1, .failed("no"))])
        #expect(machine.started(3, nil).isEmpty)
        #expect(machine.registration == 3)
    }

    @Test("A stop during an update withdraws both registrations")
    func stoppedDuringUpdate() {
        var machine = Self.on()
        _ = machine.update(1)
        #expect(
            machine.stop() == [.withdraw(1), .withdraw(2), .completeUpdate(1, .cancelled)]
        )
        #expect(machine.started(2, nil).isEmpty)
        #expect(machine.removed(1).isEmpty)
        #expect(machine.removed(2) == [.dispose, .completeStop])
    }

    // MARK: Expiry

    @Test("An advertisement that ends on its own is reported")
    func ends() {
        var machine = Self.on()
        #expect(machine.removed(1).isEmpty)
        #expect(machine.ended(1, nil) == [.dispose, .reportEnded(nil)])
        #expect(machine.connected().isEmpty)
        #expect(machine.retry().isEmpty)
    }

    @Test("A timeout during a renewal ends the advertisement, and an update starts another one")
    func endsMeanwhile() {
        var machine = Self.on()
        _ = machine.connected()
        _ = machine.removed(1)
        #expect(machine.ended(1, nil) == [.withdraw(2), .reportEnded(nil)])
        #expect(machine.removed(2) == [.dispose])
        machine = Self.on()
        _ = machine.update(1)
        _ = machine.removed(1)
        #expect(machine.ended(1, nil).isEmpty)
        #expect(machine.started(2, nil) == [.completeUpdate(1, .succeeded)])
    }

    // MARK: Conservation

    @Test(
        "Every call completes once, and every registration is withdrawn",
        arguments: 0..<60 as Range<UInt64>
    )
    func conservation(seed: UInt64) {
        var game = AdvertisingGame(seed: seed)
        game.play()
        #expect(game.problems.isEmpty, "seed \(seed)")
    }
}
