import Bluejay
import BluejaySimulator
import Foundation
import Staging
import TestSupport
import Testing

/// Tests `SynchronizedListen`.
@Suite("Known iOS faults: listens in background tasks", .timeLimit(.minutes(15)))
struct TaskListenTrapTests {
    private static let refusing = PeripheralScript.gadget([
        ScriptedCharacteristic("2A37", ["notify"], .value([])),
        ScriptedCharacteristic("2A39", ["write"], .refuses(0x80)),
    ])

    @Test("A rejected write ends the listen for its response", arguments: [true, false])
    func refusedWrite(assembles: Bool) async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: Self.refusing)
            let central = connected.central
            let error = await #expect(throws: BluejayError.self) {
                try await central.task { peripheral in
                    if assembles {
                        try peripheral.writeAndAssemble(
                            writeTo: controlPoint,
                            value: UInt8(1),
                            listenTo: measurement,
                            expectedLength: 2
                        ) { (_: Data) -> ListenAction in .done }
                    } else {
                        try peripheral.writeAndListen(
                            writeTo: controlPoint,
                            value: UInt8(1),
                            listenTo: measurement
                        ) { (_: Data) -> ListenAction in .done }
                    }
                }
            }
            #expect(error.map { errorName($0) } == "attribute")
            #expect(await central.isListening(to: measurement) == false)
            await central.forget()
            await central.run { $0.recordListen("next") }
            await central.run { $0.recordEndListen("end") }
            await central.wait(for: "end")
            await central.expect(["end ok"])
        }
    }

    @Test("After a complete response, keepListening assembles the next one")
    func secondAnswer() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: silentGadget)
            let (central, peripheral) = (connected.central, connected.peripheral)
            await central.forget()
            await central.run { central in
                central.recordTask("task") { peripheral in
                    try peripheral.writeAndAssemble(
                        writeTo: controlPoint,
                        value: UInt8(1),
                        listenTo: measurement,
                        expectedLength: 3
                    ) { (answer: Data) -> ListenAction in
                        central.recordEvent("answer \(hexadecimal(Array(answer)))")
                        return answer.first == 4 ? .done : .keepListening
                    }
                }
            }
            try await wait { try await peripheral.writes() == ["2A39 01"] }
            for packet: [UInt8] in [[1, 2], [3], [4], [5, 6]] {
                try await peripheral.send(packet, on: "2A37")
            }
            await central.wait(for: "task")
            await central.expect(["answer 01 02 03", "answer 04 05 06", "task ok"])
        }
    }

    @Test("A rejected listen of a task leaves the regular listen running")
    func refusedListen() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: silentGadget)
            let central = connected.central
            await central.run { $0.recordListen("regular") }
            await central.settle()
            await central.forget()
            await central.run { central in
                central.recordTask("task") { peripheral in
                    do {
                        try peripheral.listen(to: measurement) { (_: Data) -> ListenAction in
                            .done
                        }
                    } catch { central.noteLater("listen \(errorName(error))") }
                    try peripheral.flushListen(to: measurement, nonZeroTimeout: .seconds(0.1)) {}
                }
            }
            await central.wait(for: "task")
            try await connected.peripheral.send([1], on: "2A37")
            await central.wait(for: "regular")
            await central.expect([
                "listen multipleListenTrapped", "task multipleListenTrapped", "regular 01",
            ])
        }
    }

    @Test("A timeout below one second applies")
    func fractionalLimit() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: silentGadget)
            let central = connected.central
            await central.forget()
            await central.run { central in
                central.recordTask("task") { peripheral in
                    try peripheral.listen(to: measurement, timeout: .seconds(0.9)) {
                        (_: Data) -> ListenAction in
                        central.recordEvent("received")
                        return .done
                    }
                }
            }
            // The value arrives at once or a little later, never after 0.9 s.
            await sending(connected.peripheral, until: { await central.record() != [] })
            await central.wait(for: "task")
            await central.expect(["received", "task ok"])
            await #expect(throws: BluejayError.listenTimedOut) {
                try await central.task { peripheral in
                    try peripheral.listen(to: measurement, timeout: .seconds(0.1)) {
                        (_: Data) -> ListenAction in .done
                    }
                }
            }
        }
    }

    @Test("A blocking call on the instance's own loop fails with blockedMainLoop")
    func mainLoop() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = try await context.connected(to: silentGadget).central
            await central.forget()
            let kept = Kept()
            await central.run { $0.recordTask("task") { kept.peripheral = $0 } }
            await central.wait(for: "task")
            await central.run { central in
                do {
                    let _: UInt8? = try kept.peripheral?.read(from: controlPoint)
                } catch { central.recordEvent("on the loop: \(errorName(error))") }
            }
            await central.expect(["task ok", "on the loop: blockedMainLoop"])
        }
    }

    @Test("A flush without a positive timeout fails with indefiniteFlush")
    func indefiniteFlush() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = try await context.connected(to: silentGadget).central
            for limit in [.none, .seconds(0), .seconds(-1), .seconds(.nan), 0] as [Timeout] {
                await #expect(throws: BluejayError.indefiniteFlush) {
                    try await central.task {
                        try $0.flushListen(to: measurement, nonZeroTimeout: limit) {}
                    }
                }
            }
        }
    }

    @Test("endListen in a task calls its completion and passes the error to the listener")
    func endListen() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = try await context.connected(to: silentGadget).central
            await central.run { $0.recordListen("regular") }
            await central.settle()
            await central.forget()
            await central.run { central in
                central.recordTask("task") { peripheral in
                    let error = TestbedError("why")
                    try peripheral.endListen(to: measurement, error: error) {
                        central.recordEvent("end \($0.text)")
                    }
                    central.noteLater("returned")
                }
            }
            await central.wait(for: "task")
            await central.expect(["regular TestbedError", "end ok", "returned", "task ok"])
            #expect(await central.isListening(to: measurement) == false)
        }
    }

    @Test(
        "When a listen times out, notifications are off before the call returns",
        .enabled(if: !isRealBlueZ, "only a simulated peripheral reports its subscribers")
    )
    func limitIsOver() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = try await context.connected(to: silentGadget).central
            await central.forget()
            await central.run { central in
                central.recordTask("task") { peripheral in
                    // One limit is over before the listen is set up; each listen must find the characteristic
                    // free.
                    for limit in [0.2, 0.05, 0.001, -1] {
                        do {
                            try peripheral.listen(to: measurement, timeout: .seconds(limit)) {
                                (_: Data) -> ListenAction in .keepListening
                            }
                        } catch { central.noteLater(errorName(error)) }
                    }
                }
            }
            await central.wait(for: "task")
            let overs = Array(repeating: "listenTimedOut", count: 4)
            await central.expect(overs + ["task ok"])
            #expect(await central.isListening(to: measurement) == false)
            // bluetoothd answers before the peripheral receives the request.
            try await wait { try await context.listenerCount(of: "2A37") == 0 }
            await central.forget()
            await central.run { $0.recordListen("next") }
            await central.settle()
            await central.expect([])
            #expect(try await context.listenerCount(of: "2A37") == 1)
        }
    }
}

/// Values that a task keeps beyond its end.
// Written in the task and read after its completion, which justifies `@unchecked`.
private final class Kept: @unchecked Swift.Sendable {
    var peripheral: SynchronizedPeripheral?
}

/// Sends values until `isDone` returns true.
private func sending(_ peripheral: any TestbedPeripheral, until isDone: () async -> Bool) async {
    while await !isDone(), !Task.isCancelled { try? await peripheral.send([1], on: "2A37") }
}

extension ScenarioContext {
    fileprivate func listenerCount(of characteristic: String) async throws -> Int {
        guard let testbed = testbed as? SimulatedTestbed else {
            throw TestbedError("requires the simulated BlueZ")
        }
        return await testbed.system.read {
            $0.device("C0:00:00:00:00:01")?.listenerCount(of: characteristic) ?? -1
        } ?? -1
    }
}
