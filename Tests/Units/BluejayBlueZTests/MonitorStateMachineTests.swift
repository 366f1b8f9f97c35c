import TestSupport
import TestTraits
import Testing

@testable import BluejayBlueZ

@Suite("Advertisement monitors")
struct MonitorStateMachineTests {
    private func registering() -> MonitorStateMachine {
        var machine = MonitorStateMachine(monitorCount: 2)
        let actions = machine.start(supportsMonitors: true, now: .seconds(1))
        #expect(actions == [.setTimer(.seconds(6)), .register])
        return machine
    }

    private let fallBack: [MonitorStateMachine.Action] = [
        .setTimer(nil), .unregister, .discover, .reportMode(.active),
    ]

    @Test(
        "A watch is passive once all monitors are active, before or after the reply of the registration"
    )
    func passive() {
        var machine = registering()
        #expect(machine.registered(succeeded: true) == [])
        #expect(machine.activated() == [])
        #expect(machine.activated() == [.setTimer(nil), .reportMode(.passive)])
        #expect(machine.end() == [.setTimer(nil), .unregister])
        var early = registering()
        _ = early.activated()
        #expect(early.activated() == [.setTimer(nil), .reportMode(.passive)])
        #expect(early.registered(succeeded: true) == [])
        #expect(early.timerFired() == [])
    }

    @Test("A watch discovers on an adapter without monitors, or with no monitors to register")
    func active() {
        var machine = MonitorStateMachine(monitorCount: 2)
        #expect(
            machine.start(supportsMonitors: false, now: .zero) == [.discover, .reportMode(.active)]
        )
        #expect(machine.end() == [.endDiscovery])
        var without = MonitorStateMachine(monitorCount: 0)
        #expect(
            without.start(supportsMonitors: true, now: .zero) == [.discover, .reportMode(.active)]
        )
    }

    @Test(
        "A refusal, a released monitor and a timeout fall back to discovery",
        .pitfall(.hiddenSignals)
    )
    func fallsBack() {
        var refused = registering()
        #expect(refused.registered(succeeded: false) == fallBack)
        var released = registering()
        _ = released.activated()
        #expect(released.released() == fallBack)
        #expect(released.released() == [])
        #expect(released.activated() == [])
        var silent = registering()
        _ = silent.registered(succeeded: true)
        #expect(silent.timerFired() == fallBack)
        var later = registering()
        _ = later.activated()
        _ = later.activated()
        #expect(later.released() == fallBack)
        #expect(later.end() == [.endDiscovery])
    }

    @Test(
        "A watch ends each action that it started, once, and reports nothing later",
        arguments: 0..<200
    )
    func conservation(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var machine = MonitorStateMachine(monitorCount: Int.random(in: 0...3, using: &random))
        var isRegistered = false
        var isDiscovering = false
        func perform(_ actions: [MonitorStateMachine.Action]) {
            for action in actions {
                switch action {
                case .register:
                    #expect(!isRegistered, "seed \(seed)")
                    isRegistered = true
                case .unregister:
                    #expect(isRegistered, "seed \(seed)")
                    isRegistered = false
                case .discover:
                    #expect(!isDiscovering && !isRegistered, "seed \(seed)")
                    isDiscovering = true
                case .endDiscovery:
                    #expect(isDiscovering, "seed \(seed)")
                    isDiscovering = false
                case .reportMode(let mode):
                    #expect(isDiscovering == (mode == .active), "seed \(seed)")
                    #expect(isRegistered == (mode == .passive), "seed \(seed)")
                case .setTimer: break
                }
            }
        }
        perform(machine.start(supportsMonitors: Bool.random(using: &random), now: .zero))
        for _ in 0..<20 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0: perform(machine.released())
            case 1: perform(machine.timerFired())
            case 2: perform(machine.registered(succeeded: Bool.random(using: &random)))
            default: perform(machine.activated())
            }
        }
        perform(machine.end())
        #expect(!isRegistered && !isDiscovering, "seed \(seed)")
        #expect(machine.end() == [])
        let late = machine.activated() + machine.released() + machine.timerFired()
        #expect(late == [])
    }

    @Test("Each monitor has at most seven patterns, because more crash bluetoothd 5.66")
    func patterns() {
        let monitors = AdvertisementMonitor1.monitors(
            ofCompanies: [(0x004C, [2, 0x15]), (0xFFFF, Array(repeating: 1, count: 40))]
        )
        #expect(monitors.map(\.patterns.count) == [7, 7, 4])
        let all = monitors.flatMap(\.patterns)
        #expect(Set(all).count == all.count)
        #expect(
            all.first
                == AdvertisementMonitor1.Pattern(
                    start: 0,
                    type: 0xFF,
                    content: [0x4C, 0x00, 2, 0x15]
                )
        )
        #expect(all.allSatisfy { (1...31).contains($0.content.count) })
        let flags = all.filter { $0.type == 0x01 }.map(\.content)
        for value in [0x06, 0x04, 0x05, 0x02, 0x1A, 0x1E] as [UInt8] {
            #expect(flags.contains([value]))
        }
    }
}
