import BluejayCore
import BluejayGLib
import Foundation
import Staging
import TestSupport
import Testing

@testable import Bleu

@Suite(
    "An actor among foreign centrals",
    .timeLimit(.minutes(10)),
    .enabled(if: isRealBlueZ, "the simulated BlueZ has no foreign stack")
)
struct ServedActorCrowdScenarios {
    @Test("Two centrals read, call and fetch concurrently, and each receives its own replies")
    func twoCentrals() async throws {
        try await withTestbed(on: .multiplePeers) { context in
            try await context.serve { actor in
                let callers = [
                    try await actor.caller("First", session: 1, mtu: 23),
                    try await actor.caller("Second", session: 2),
                ]
                try await withThrowingTaskGroup { group in
                    for caller in callers { group.addTask { try await caller.callEverything() } }
                    try await group.waitForAll()
                }
                #expect(actor.probe.count(of: "long") == 2)
                #expect(actor.probe.count(of: "fail") == 2)
            }
        }
    }

    @Test("A stream ends when its central unsubscribes")
    func unsubscribed() async throws {
        try await withTestbed(on: .multiplePeers) { context in
            try await context.serve { actor in
                let caller = try await actor.caller("Silent", session: 1)
                try await caller.send(.call, "numbers")
                for _ in 0..<33 { _ = try await caller.next("numbers") }
                try await caller.central.unsubscribe(from: Probe.uuid("numbers"))
                try await actor.wait { actor.probe.endedProducers.value == 1 }
                #expect(try await caller.call("echo", "[1]") == Answer(.value, "[1]"))
            }
        }
    }

    @Test("The first subscriber that leaves ends only its own stream")
    func firstSubscriber() async throws {
        try await withTestbed(on: .multiplePeers) { context in
            try await context.serve { actor in
                let leaving = try await actor.caller("Leaving", session: 1)
                let staying = try await actor.caller("Staying", session: 2)
                for caller in [leaving, staying] {
                    try await caller.send(.call, "numbers")
                    for _ in 0..<33 { _ = try await caller.next("numbers") }
                }
                try await leaving.central.disconnect()
                try await actor.wait { actor.probe.endedProducers.value == 1 }
                try await staying.credit(33, "numbers")
                #expect(try await staying.next("numbers")?.body.suffix(2) == Data("32".utf8))
                #expect(actor.probe.endedProducers.value == 1)
            }
        }
    }

    @Test("A link that drops during a call cancels it, and the next link works")
    func droppedLink() async throws {
        try await withTestbed(on: .multiplePeers) { context in
            try await context.serve { actor in
                let caller = try await actor.caller("Lost", session: 1)
                try await caller.send(.call, "wait")
                try await actor.wait { actor.probe.count(of: "wait") == 1 }
                try await caller.central.loseLink()
                try await actor.wait { actor.probe.cancelledCalls.value == 1 }
                let again = try await actor.caller("Again", session: 2)
                #expect(try await again.call("echo") == Answer(.value, "[]"))
            }
        }
    }

    @Test("A read of 6 s is fetched after its refusal, and the other central does not wait")
    func slowRead() async throws {
        try await withTestbed(on: .multiplePeers) { context in
            try await context.serve { actor in
                let slow = try await actor.caller("Slow", session: 1)
                let other = try await actor.caller("Other", session: 2)
                async let refusal = slow.refusal(of: "slow")
                try await actor.wait { actor.probe.count(of: "slow") == 1 }
                #expect(try await other.call("echo") == Answer(.value, "[]"))
                #expect(try await refusal == 0x81)
                let fetch = try await slow.send(.fetch, "slow")
                #expect(Answer(try await slow.next("slow"), fetch) == Answer(.value, "6"))
                #expect(actor.probe.count(of: "slow") == 1)
            }
        }
    }

    @Test("A central that leaves during a method of some seconds does not crash bluetoothd")
    func leftMethod() async throws {
        try await withTestbed(on: .multiplePeers) { context in
            try await context.serve { actor in
                for round in 1...3 {
                    let leaving = try await actor.caller("Leaving", session: UInt16(round))
                    let refusal = Task { try await leaving.refusal(of: "slow") }
                    try await actor.wait { actor.probe.count(of: "slow") == round }
                    try await leaving.send(.call, "wait")
                    try await actor.wait { actor.probe.count(of: "wait") == round }
                    try await Task.sleep(for: .seconds(1))
                    if round == 2 {
                        try await leaving.central.disconnect()
                    } else {
                        try await leaving.central.loseLink()
                    }
                    #expect(try await refusal.value == 0x81)
                    // 5 s after such a request, bluetoothd would crash.
                    try await Task.sleep(for: .seconds(7))
                    let next = try await actor.caller("Next", session: 9)
                    #expect(try await next.call("echo") == Answer(.value, "[]"))
                    try await next.central.disconnect()
                }
            }
        }
    }

    @Test("The actor is served again after a power cycle and after a killed bluetoothd")
    func bluetoothReturns() async throws {
        try await withTestbed(on: .multiplePeers) { context in
            try await context.serve { actor in
                for (number, way) in ["off", "killed"].enumerated() {
                    let caller = try await actor.caller("Before \(way)", session: 1)
                    try await caller.send(.call, "wait")
                    try await actor.wait { actor.probe.count(of: "wait") == number + 1 }
                    if way == "off" {
                        try await context.testbed.setPowered(false)
                    } else {
                        try await context.testbed.endDaemon(politely: false)
                    }
                    try await actor.wait { actor.probe.cancelledCalls.value == number + 1 }
                    if way == "off" {
                        try await context.testbed.setPowered(true)
                    } else {
                        try await context.testbed.startDaemon()
                    }
                    let again = try await actor.caller("After \(way)", session: 2)
                    #expect(try await again.call("echo") == Answer(.value, "[]"))
                    try await again.central.disconnect()
                }
            }
        }
    }
}

private final class StageActor: Sendable {
    let probe = Probe { try await Task.sleep(for: $0) }
    let peripheral: LocalPeripheralActor
    private let testbed: any Testbed

    init(_ context: ScenarioContext) {
        testbed = context.testbed
        let host = BluetoothHost(
            mainLoop: MainLoop(threadName: "served"),
            adapter: "hci0",
            busAddress: context.testbed.busAddress
        )
        peripheral = LocalPeripheralActor(BleuConfiguration(), host)
    }

    func caller(_ name: String, session: UInt16, mtu: Int = 517) async throws -> StageCaller {
        let central = try await testbed.addCentral(named: name)
        try await central.connect(mtu: mtu)
        try await central.discover(Probe.service)
        for method in Probe.answered { try await central.subscribe(to: Probe.uuid(method)) }
        return StageCaller(central, session: session, mtu: mtu)
    }

    func wait(until isSo: () -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(180)
        try await TestSupport.wait {
            guard ContinuousClock.now < end else { throw TestbedError("three minutes passed") }
            return isSo()
        }
    }
}

extension ScenarioContext {
    fileprivate func serve(_ body: (StageActor) async throws -> Void) async throws {
        let actor = StageActor(self)
        try await actor.peripheral.startAdvertising(actor.probe.served())
        try await body(actor)
        try await actor.peripheral.stopAdvertising()
    }
}

private actor StageCaller {
    let central: any TestbedCentral
    private let session: UInt16
    private let mtu: Int
    private var transport = BLETransport(receiving: .fromPeripheral)
    private var lastCall: UInt16 = 0
    private var received: [String: Int] = [:]

    init(_ central: any TestbedCentral, session: UInt16, mtu: Int) {
        self.central = central
        self.session = session
        self.mtu = mtu
    }

    /// Sends a message.
    ///
    /// - Returns: The number of the call.
    @discardableResult
    func send(_ kind: FrameKind, _ method: String, _ body: String = "[]") async throws -> UInt16 {
        lastCall += 1
        let data = kind == .call ? Data(body.utf8) : Data()
        let message = Message(kind: kind, session: session, call: lastCall, body: data)
        for frame in try transport.frames(of: message, frameSize: min(510, mtu - 3)) {
            try await central.write([UInt8](frame), to: Probe.uuid(method), isAnswered: false)
        }
        return message.call
    }

    /// Grants credit up to element `total` of the latest stream.
    func credit(_ total: UInt32, _ method: String) async throws {
        var message = Message(kind: .credit, session: session, call: lastCall)
        message.body.append(littleEndian: total)
        for frame in try transport.frames(of: message, frameSize: min(510, mtu - 3)) {
            try await central.write([UInt8](frame), to: Probe.uuid(method), isAnswered: false)
        }
    }

    func next(_ method: String) async throws -> Message? {
        for _ in 0..<5000 {
            let index = received[method, default: 0]
            let values = try await central.values(of: Probe.uuid(method), atLeast: index + 1)
            guard index < values.count else { return nil }
            received[method] = index + 1
            let frame = Data(values[index])
            guard Frame(frame)?.session == session else { continue }
            if case .message(let message) = transport.receive(frame, now: .zero) { return message }
        }
        return nil
    }

    func call(_ method: String, _ body: String = "[]") async throws -> Answer {
        let number = try await send(.call, method, body)
        return Answer(try await next(method), number)
    }

    /// Reads a value and returns the ATT error of the refusal.
    func refusal(of method: String) async throws -> UInt8? {
        do {
            _ = try await central.read(Probe.uuid(method))
            return nil
        } catch let refusal as TestbedATTError {
            return refusal.code
        }
    }

    /// Reads a value, or fetches it if its method took longer than a read waits.
    func value(of method: String) async throws -> Data? {
        do {
            return Data(try await central.read(Probe.uuid(method)))
        } catch let refusal as TestbedATTError where refusal.code == 0x81 {
            try await send(.fetch, method)
            return try await next(method)?.body
        }
    }

    func callEverything() async throws {
        for number in 0..<4 {
            let body = "[\(session),\(number),\"\(String(repeating: "a", count: 200))\"]"
            #expect(try await call("echo", body) == Answer(.value, body))
        }
        #expect(try await value(of: "value") == Data("21.5".utf8))
        #expect(try await refusal(of: "long") == 0x81)
        try await send(.fetch, "long")
        #expect(try await next("long")?.body.count == 2002)
        // 0x81 on a machine on which the method takes longer than a read waits.
        let refusal = try await refusal(of: "fail")
        #expect(refusal == 0x80 || refusal == 0x81)
        try await send(.fetch, "fail")
        #expect(try await next("fail")?.kind == .failure)
    }
}
