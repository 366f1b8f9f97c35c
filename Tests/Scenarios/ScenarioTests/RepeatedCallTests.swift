import Bluejay
import BluejayGLib
import BluejaySimulator
import Foundation
import Staging
import Testing

/// The reasons why a call fails without a request to the peripheral.
enum RefusalReason: CaseIterable {
    case notConnected, bluetoothOff, beforeStart, inTask, missingCharacteristic, malformed
}

/// Tests `StepScheduler`.
@Suite("Calls repeated in their own completions", .timeLimit(.minutes(15)))
struct RepeatedCallTests {
    @Test(
        "Repeating a failing call neither starves the loop nor accumulates memory",
        arguments: RefusalReason.allCases
    )
    func repeated(reason: RefusalReason) async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: lateGadget)
            let central = connected.central
            let stopped = await RecordingCentral.stopped(context.testbed.busAddress)
            switch reason {
            case .notConnected: try await central.disconnect()
            case .bluetoothOff:
                try await context.testbed.setPowered(false)
                await central.wait(for: "available false")
            case .beforeStart, .missingCharacteristic, .malformed: break
            case .inTask:
                await central.run { central in
                    central.recordTask("task") { let _: UInt8 = try $0.read(from: location) }
                }
            }
            let caller = reason == .beforeStart ? stopped : central
            let repetition = await caller.read { Repetition($0, reason.characteristic) }
            await caller.run { _ in repetition.begin(for: .milliseconds(500)) }
            await caller.wait(for: "over")
            let (count, insideCall, mostHeld) = await caller.read { _ in
                (repetition.count, repetition.isInsideCall, repetition.mostHeld)
            }
            #expect(count > 10)
            #expect(!insideCall)
            #expect(mostHeld <= 3)
            switch reason {
            case .notConnected: try await central.connect(connected.identifier)
            case .bluetoothOff:
                await central.forget()
                try await context.testbed.setPowered(true)
                await central.wait(for: "available true")
                try await central.connect(connected.identifier)
            case .inTask: await central.wait(for: "task")
            case .beforeStart, .missingCharacteristic, .malformed: break
            }
            #expect(try await central.value(of: controlPoint, as: UInt8.self) == 7)
        }
    }

    @Test(
        "Rejected calls complete in call order, after the calling iteration and before later calls"
    )
    func order() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = await context.availableCentral()
            await central.run { central in
                central.recordRead("first")
                central.recordRead(
                    "second",
                    of: CharacteristicIdentifier(uuid: "X", service: heartRateService)
                )
                central.recordDisconnect("third")
                central.recordEndListen("fourth")
                central.recordTask("fifth") { _ in }
                central.recordEvent("called")
            }
            await central.run { $0.recordRead("sixth") }
            await central.wait(for: "sixth")
            await central.expect([
                "called", "first notConnected", "second error 30", "third notConnected",
                "fourth notConnected", "fifth notConnected", "sixth notConnected",
            ])
        }
    }

    @Test("An observer that retries each failed connection does not starve the loop")
    func observer() async throws {
        try await withTestbed(isRecorded: false) { context in
            let found = try await context.found(lateGadget)
            let central = found.central
            let again = await Again(central, found.identifier)
            try await context.testbed.setPowered(false)
            await central.wait(for: "available false")
            await central.run { _ in again.connect() }
            await central.run { central in
                let clock = MainContextClock(on: central.loop.context)
                central.retainedObjects.append(
                    clock.schedule(after: .milliseconds(300)) { central.recordEvent("over") }
                )
            }
            await central.wait(for: "over")
            await central.run { _ in again.isOver = true }
        }
    }

    @Test("A nested loop in a completion keeps timers, values and calls running")
    func nestedLoop() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: lateGadget)
            let (central, peripheral) = (connected.central, connected.peripheral)
            await central.forget()
            await central.run { central in
                central.bluejay.listen(to: measurement) { (result: ReadResult<UInt8>) in
                    central.recordEvent("value \(result.text)")
                }
                central.bluejay.read(from: controlPoint) { (_: ReadResult<UInt8>) in
                    let dialogue = Dialogue(central)
                    let timer = dialogue.clock.schedule(after: .milliseconds(20)) {
                        central.recordEvent("timer")
                    }
                    central.recordRead("inner", of: controlPoint)
                    central.recordEvent("dialogue")
                    dialogue.run(until: ["timer", "inner", "value"])
                    withExtendedLifetime(timer) { central.recordEvent("closed") }
                }
            }
            await central.wait(for: "dialogue")
            try await peripheral.send([8], on: "2A37")
            await central.wait(for: "closed")
            let record = await central.record()
            #expect(Set(record.dropLast()) == ["dialogue", "timer", "inner 07", "value 8"])
            #expect(record.last == "closed")
            #expect(try await central.value(of: controlPoint, as: UInt8.self) == 7)
        }
    }
}

extension RefusalReason {
    fileprivate var characteristic: CharacteristicIdentifier {
        switch self {
        case .missingCharacteristic:
            CharacteristicIdentifier(uuid: "2A7E", service: heartRateService)
        case .malformed: CharacteristicIdentifier(uuid: "nonsense", service: heartRateService)
        default: controlPoint
        }
    }
}

/// A nested loop inside a callback, like the modal dialog of a toolkit.
private final class Dialogue {
    let clock: MainContextClock
    private let central: RecordingCentral
    private let inner: MainContext
    private var timer: ScheduledTimer?

    init(_ central: RecordingCentral) {
        self.central = central
        clock = MainContextClock(on: central.loop.context)
        inner = MainContext(nestedIn: central.loop.context)
    }

    /// Runs until each beginning was recorded, for at most five seconds.
    func run(until beginnings: [String]) {
        look(for: beginnings, before: clock.now + .seconds(5))
        inner.run()
        timer = nil
    }

    private func look(for beginnings: [String], before end: Duration) {
        let noted = central.recorded
        let isComplete = beginnings.allSatisfy { beginning in
            noted.contains { $0.hasPrefix(beginning) }
        }
        guard !isComplete, clock.now < end else { return inner.quit() }
        timer = clock.schedule(after: .milliseconds(5)) { [self] in
            look(for: beginnings, before: end)
        }
    }
}

/// Reads again from the completion of each read; used only on its central's loop.
private final class Repetition: @unchecked Swift.Sendable {
    private final class Token {}

    private let central: RecordingCentral
    private let characteristic: CharacteristicIdentifier
    private var tokens: [Weak] = []
    private var timer: ScheduledTimer?
    private var isOver = false
    private var isCalling = false
    private(set) var count = 0
    private(set) var mostHeld = 0
    private(set) var isInsideCall = false

    private struct Weak { weak var token: Token? }

    init(_ central: RecordingCentral, _ characteristic: CharacteristicIdentifier) {
        self.central = central
        self.characteristic = characteristic
    }

    func begin(for time: Duration) {
        timer = MainContextClock(on: central.loop.context).schedule(after: time) { [self] in
            isOver = true
            central.recordEvent("over")
        }
        call()
    }

    private func call() {
        let token = Token()
        tokens.removeAll { $0.token == nil }
        tokens.append(Weak(token: token))
        mostHeld = max(mostHeld, tokens.count)
        isCalling = true
        defer { isCalling = false }
        central.bluejay.read(from: characteristic) { [self] (_: ReadResult<UInt8>) in
            withExtendedLifetime(token) {}
            count += 1
            if isCalling { isInsideCall = true }
            if !isOver { call() }
        }
    }
}

/// Reconnects when it receives a disconnection; used only on its central's loop.
private final class Again: ConnectionObserver, @unchecked Swift.Sendable {
    private let central: RecordingCentral
    private let peripheral: PeripheralIdentifier
    var isOver = false

    init(_ central: RecordingCentral, _ peripheral: PeripheralIdentifier) async {
        self.central = central
        self.peripheral = peripheral
        await central.run { [self] central in
            central.bluejay.register(connectionObserver: self)
            central.retainedObjects.append(self)
        }
    }

    func connect() {
        central.bluejay.connect(peripheral) { [self] _ in if !isOver { connect() } }
    }

    func disconnected(from peripheral: PeripheralIdentifier) {
        if !isOver { connect() }
    }
}
