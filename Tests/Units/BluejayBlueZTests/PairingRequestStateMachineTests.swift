import BluejayCore
import BluejayDBus
import TestSupport
import TestTraits
import Testing

@testable import BluejayBlueZ

@Suite("Requests of bluetoothd during pairing")
struct PairingRequestStateMachineTests {
    private typealias Action = PairingRequestStateMachine.Action

    private static func device(_ last: UInt8, _ adapter: ObjectPath = "/org/bluez/hci0")
        -> DeviceKey
    {
        let octets: [UInt8] = [0xC4, 0x7C, 0x8D, 0x6A, 0x1F, last]
        guard let address = DeviceAddress(octets: octets, kind: .random) else {
            preconditionFailure("six octets are an address")
        }
        return DeviceKey(adapter: adapter, address: address)
    }

    private let lock = Self.device(1)
    private let other = Self.device(2)

    /// Returns a machine with a user who answers for the lock.
    private func answering() -> PairingRequestStateMachine {
        var machine = PairingRequestStateMachine()
        machine.handlerAdded(1)
        machine.setScope(1, .device(lock))
        return machine
    }

    private func ask(
        _ machine: inout PairingRequestStateMachine,
        _ question: Int,
        _ device: DeviceKey?,
        isOwnLink: Bool = true,
        isDisplay: Bool = false,
        at now: Duration = .zero
    ) -> [PairingRequestStateMachine.Action] {
        machine.requestReceived(
            question,
            from: device,
            isOwnLink: isOwnLink,
            isDisplay: isDisplay,
            now: now
        )
    }

    @Test(
        "A request is forwarded to the handler of its device, and bluetoothd receives the reply once"
    )
    func answer() {
        var machine = answering()
        #expect(ask(&machine, 7, lock) == [.forward(1, 7), .setTimer(.seconds(25))])
        #expect(machine.replied(7, .passkey(5)) == [.reply(7, .passkey(5)), .setTimer(nil)])
        #expect(machine.replied(7, .rejected) == [])
        #expect(machine.responderReleased(7) == [])
        #expect(machine.isIdle)
    }

    @Test("A released request is rejected")
    func letGo() {
        var machine = answering()
        _ = ask(&machine, 7, lock)
        #expect(machine.responderReleased(7) == [.reply(7, .rejected), .setTimer(nil)])
    }

    @Test("Requests of unclaimed and unknown devices are rejected")
    func nobody() {
        var machine = answering()
        #expect(ask(&machine, 7, other) == [.reply(7, .rejected)])
        #expect(ask(&machine, 8, nil) == [.reply(8, .rejected)])
        machine.setScope(1, nil)
        #expect(ask(&machine, 9, lock) == [.reply(9, .rejected)])
        #expect(ask(&machine, 10, lock, isDisplay: true) == [.reply(10, .rejected)])
        #expect(machine.isIdle)
    }

    @Test("A request without a reply is rejected after 25 s, and its handler receives the end")
    func time() {
        var machine = answering()
        _ = ask(&machine, 7, lock, at: .seconds(10))
        #expect(ask(&machine, 8, lock, at: .seconds(20)) == [.forward(1, 8)])
        #expect(machine.timerFired(now: .seconds(34)) == [.setTimer(.seconds(35))])
        #expect(
            machine.timerFired(now: .seconds(35)) == [
                .reply(7, .timedOut), .notifyEnded(7), .setTimer(.seconds(45)),
            ]
        )
        #expect(machine.replied(7, .accepted) == [])
    }

    @Test("The seventeenth concurrent request is rejected")
    func bound() {
        var machine = answering()
        for question in 1...16 { _ = ask(&machine, question, lock) }
        #expect(ask(&machine, 17, lock) == [.reply(17, .rejected)])
        _ = machine.replied(3, .accepted)
        #expect(ask(&machine, 18, lock) == [.forward(1, 18)])
    }

    @Test(
        "A display request is accepted at once, updated by the next one, and ends by cancellation"
    )
    func display() {
        var machine = answering()
        #expect(
            ask(&machine, 7, lock, isDisplay: true) == [
                .reply(7, .accepted), .forward(1, 7), .setTimer(.seconds(60)),
            ]
        )
        #expect(
            ask(&machine, 8, lock, isDisplay: true, at: .seconds(5)) == [
                .reply(8, .accepted), .update(7, with: 8), .setTimer(.seconds(65)),
            ]
        )
        #expect(machine.responderReleased(7) == [])
        #expect(machine.replied(7, .accepted) == [])
        #expect(machine.cancelRequests([7]) == [.notifyEnded(7), .setTimer(nil)])
    }

    @Test("A rejected display request cancels the pairing")
    func refusedDisplay() {
        var machine = answering()
        _ = ask(&machine, 7, lock, isDisplay: true)
        #expect(
            machine.replied(7, .rejected) == [.cancelPairing(7), .notifyEnded(7), .setTimer(nil)]
        )
    }

    @Test("Of two handlers for one device the first receives the requests, then the second")
    func two() {
        var machine = answering()
        machine.handlerAdded(2)
        machine.setScope(2, .device(lock))
        #expect(ask(&machine, 7, lock).first == .forward(1, 7))
        #expect(
            machine.handlerRemoved(1) == [
                .reply(7, .handlerRemoved), .notifyEnded(7), .setTimer(nil),
            ]
        )
        #expect(ask(&machine, 8, lock).first == .forward(2, 8))
    }

    @Test(
        "A handler for unclaimed devices receives none of local links or of another adapter"
    )
    func others() {
        var machine = PairingRequestStateMachine()
        machine.handlerAdded(1)
        machine.setScope(1, .unclaimedDevices(of: "/org/bluez/hci0"))
        #expect(ask(&machine, 7, lock, isOwnLink: true) == [.reply(7, .rejected)])
        #expect(ask(&machine, 8, lock, isOwnLink: false).first == .forward(1, 8))
        let elsewhere = Self.device(1, "/org/bluez/hci1")
        #expect(ask(&machine, 9, elsewhere, isOwnLink: false) == [.reply(9, .rejected)])
        // An agent for the device itself has priority.
        machine.handlerAdded(2)
        machine.setScope(2, .device(lock))
        #expect(ask(&machine, 10, lock, isOwnLink: false) == [.forward(2, 10)])
    }

    @Test(
        "A device whose address changes by pairing keeps its handler and its open requests",
        .pitfall(.pairingChangesObjects)
    )
    func moved() {
        var machine = answering()
        _ = ask(&machine, 7, lock, isDisplay: true)
        machine.addressChanged(from: lock, to: other)
        #expect(ask(&machine, 8, lock) == [.reply(8, .rejected)])
        #expect(ask(&machine, 9, other, isDisplay: true)[1] == .update(7, with: 9))
    }

    @Test("A cancellation by bluetoothd, or its loss, ends all requests")
    func cancelled() {
        var machine = answering()
        _ = ask(&machine, 7, lock)
        _ = ask(&machine, 8, lock, isDisplay: true)
        #expect(
            machine.cancelAllRequests() == [
                .reply(7, .cancelled), .notifyEnded(7), .notifyEnded(8), .setTimer(nil),
            ]
        )
    }

    @Test("Each request receives exactly one reply in random sequences", arguments: 1...50)
    func conservation(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var machine = PairingRequestStateMachine()
        for user in 1...4 { machine.handlerAdded(user) }
        let devices = (1...5).map { Self.device(UInt8($0)) }
        var actions: [Action] = []
        for step in 1...300 {
            let now = Duration.seconds(step)
            let question = Int.random(in: 1...step, using: &random)
            let user = Int.random(in: 1...4, using: &random)
            guard let device = devices.randomElement(using: &random) else { continue }
            switch Int.random(in: 0..<12, using: &random) {
            case 0: machine.setScope(user, .device(device))
            case 1: machine.setScope(user, .unclaimedDevices(of: device.adapter))
            case 2: actions += machine.replied(question, .accepted)
            case 3: actions += machine.responderReleased(question)
            case 4: actions += machine.cancelRequests([question])
            case 5: actions += machine.timerFired(now: now)
            case 6 where step % 7 == 0: actions += machine.cancelAllRequests()
            case 7: machine.addressChanged(from: device, to: devices[0])
            default: break
            }
            actions += ask(
                &machine,
                step,
                device,
                isOwnLink: .random(using: &random),
                isDisplay: .random(using: &random),
                at: now
            )
        }
        for user in 1...4 { actions += machine.handlerRemoved(user) }
        #expect(machine.isIdle, "seed \(seed)")
        for question in 1...300 {
            let replies = actions.filter {
                if case .reply(question, _) = $0 { true } else { false }
            }
            #expect(replies.count == 1, "seed \(seed), question \(question)")
            let ends = actions.filter { $0 == .notifyEnded(question) }
            #expect(ends.count <= 1, "seed \(seed), question \(question)")
        }
    }
}
