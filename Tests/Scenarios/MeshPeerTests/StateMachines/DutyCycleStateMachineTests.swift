import TestSupport
import Testing

@testable import MeshPeer

@Suite("The scan cycle of a mesh node")
struct DutyCycleStateMachineTests {
    private static func machine(pause: Duration = .seconds(30)) -> DutyCycleStateMachine {
        var settings = BLECentralManager.Settings()
        settings.scanPause = pause
        var machine = DutyCycleStateMachine(settings)
        _ = machine.becameAvailable(now: .zero)
        return machine
    }

    @Test("A scan runs for 10 s in every 40 s, to the millisecond over an hour of late timers")
    func anHour() {
        var dice = SeededGenerator(seed: 33)
        var machine = Self.machine()
        var actions = machine.start(now: .zero)
        var (now, timer) = (Duration.zero, Duration?.none)
        var (starts, ends) = ([Duration](), [Duration]())
        var deadline = Duration.zero
        while now < .seconds(3600) {
            for action in actions {
                switch action {
                case .startScan: starts.append(deadline)
                case .endScan: ends.append(deadline)
                case .setTimer(let instant): timer = instant
                }
            }
            guard let next = timer else { break }
            deadline = next
            now = next + .milliseconds(Int64(dice.next() % 400))
            timer = nil
            actions = machine.timerFired(now: now)
        }
        #expect(starts == (0..<90).map { .seconds(40 * $0) })
        #expect(ends == (0..<90).map { .seconds(40 * $0 + 10) })
    }

    @Test("After a suspension of the computer a single phase follows")
    func suspension() {
        var machine = Self.machine()
        _ = machine.start(now: .zero)
        #expect(
            machine.timerFired(now: .seconds(1000)) == [.endScan, .setTimer(.seconds(1030))]
        )
    }

    @Test("A timer that fires early is set again")
    func early() {
        var machine = Self.machine()
        _ = machine.start(now: .zero)
        #expect(machine.timerFired(now: .seconds(9)) == [.setTimer(.seconds(10))])
    }

    @Test("A scan waits for Bluetooth, and starts again after a loss of Bluetooth")
    func availability() {
        var machine = DutyCycleStateMachine(BLECentralManager.Settings())
        let scan: [DutyCycleStateMachine.Action] = [.startScan(reportsDuplicates: true)]
        #expect(machine.start(now: .zero) == [])
        #expect(machine.becameAvailable(now: .seconds(5)) == scan + [.setTimer(.seconds(15))])
        #expect(machine.becameUnavailable() == [.endScan, .setTimer(nil)])
        #expect(machine.becameUnavailable() == [])
        #expect(machine.becameAvailable(now: .seconds(50)) == scan + [.setTimer(.seconds(60))])
        #expect(machine.stop() == [.endScan, .setTimer(nil)])
        #expect(machine.becameUnavailable() == [])
        #expect(machine.becameAvailable(now: .seconds(70)) == [])
    }

    @Test("A background scan has no duplicates and pauses four times as long")
    func background() {
        var machine = Self.machine()
        _ = machine.start(now: .zero)
        #expect(
            machine.setBackground(true, now: .seconds(1)) == [.startScan(reportsDuplicates: false)]
        )
        #expect(machine.setBackground(true, now: .seconds(1)) == [])
        #expect(machine.timerFired(now: .seconds(10)) == [.endScan, .setTimer(.seconds(130))])
        // The foreground returns 50 s into the pause, so its own pause of 30 s is already over.
        #expect(
            machine.setBackground(false, now: .seconds(60))
                == [.startScan(reportsDuplicates: true), .setTimer(.seconds(70))]
        )
    }

    @Test(
        "The scan takes a quarter of its cycle, at least 1 s; a cycle up to 1,000 ms has no pause",
        arguments: [
            (40_000, 10_000), (8_000, 2_000), (2_000, 1_000), (1_001, 1_000), (1_000, nil),
            (0, nil), (Int64(UInt32.max), Int64(UInt32.max) / 4),
        ] as [(Int64, Int64?)]
    )
    func cycle(milliseconds: Int64, window: Int64?) {
        var machine = Self.machine(pause: .zero)
        _ = machine.setCycle(.milliseconds(milliseconds), now: .zero)
        let scan = DutyCycleStateMachine.Action.startScan(reportsDuplicates: true)
        let deadline =
            milliseconds == Int64(UInt32.max)
            ? Duration.milliseconds(milliseconds) / 4 : window.map { .milliseconds($0) }
        #expect(
            machine.start(now: .zero) == [scan] + (deadline.map { [.setTimer($0)] } ?? [])
        )
    }

    @Test("A refused scan is retried after 1 s, also without pauses")
    func refusal() {
        var machine = Self.machine(pause: .zero)
        _ = machine.start(now: .zero)
        #expect(machine.scanFailed(now: .seconds(2)) == [.endScan, .setTimer(.seconds(3))])
        #expect(
            machine.timerFired(now: .seconds(3))
                == [.startScan(reportsDuplicates: true), .setTimer(nil)]
                || machine.isScanning
        )
    }

    @Test("Random events never scan without Bluetooth, and scans end as often as they start")
    func play() {
        for seed in 1...300 as ClosedRange<UInt64> {
            var dice = SeededGenerator(seed: seed)
            var settings = BLECentralManager.Settings()
            settings.scanWindow = .milliseconds(max(Int64(dice.next() % 50), 1))
            settings.scanPause = .milliseconds(Int64(dice.next() % 80))
            settings.backgroundPauseFactor = max(Int(dice.next() % 5), 1)
            var machine = DutyCycleStateMachine(settings)
            var (now, timer, isScanning) = (Duration.zero, Duration?.none, false)
            var (isAvailable, isStarted) = (false, false)
            for _ in 0..<400 {
                let actions: [DutyCycleStateMachine.Action]
                switch dice.next() % 12 {
                case 0:
                    isStarted = true
                    actions = machine.start(now: now)
                case 1:
                    isStarted = dice.next() % 3 != 0 && isStarted
                    actions = isStarted ? [] : machine.stop()
                case 2:
                    isAvailable = true
                    actions = machine.becameAvailable(now: now)
                case 3:
                    isAvailable = dice.next() % 2 == 0 && isAvailable
                    actions = isAvailable ? [] : machine.becameUnavailable()
                case 4: actions = isScanning ? machine.scanFailed(now: now) : []
                case 5: actions = machine.setBackground(dice.next() % 2 == 0, now: now)
                case 6:
                    let cycle = Duration.milliseconds(Int64(dice.next() % 5000))
                    actions = machine.setCycle(cycle, now: now)
                default:
                    guard let instant = timer else { continue }
                    now = max(now, instant + .milliseconds(Int64(dice.next() % 20)))
                    timer = nil
                    actions = machine.timerFired(now: now)
                }
                for action in actions {
                    switch action {
                    case .startScan: isScanning = true
                    case .endScan:
                        #expect(isScanning, "seed \(seed)")
                        isScanning = false
                    case .setTimer(let instant): timer = instant
                    }
                }
                #expect(machine.isScanning == isScanning, "seed \(seed)")
                #expect(!isScanning || isStarted && isAvailable, "seed \(seed)")
                // A started scan either runs or has a timer to start it.
                let isRunning = isScanning || timer != nil
                #expect(isRunning || !(isStarted && isAvailable), "seed \(seed)")
            }
        }
    }
}
