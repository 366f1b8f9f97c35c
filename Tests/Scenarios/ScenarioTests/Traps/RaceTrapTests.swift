import Bluejay
import BluejaySimulator
import Foundation
import Staging
import Testing

@Suite("Known iOS faults: threads", .timeLimit(.minutes(15)))
struct RaceTrapTests {
    @Test("Observers are called on the loop only, even during a task")
    func observersDuringTask() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: silentGadget, reconnects: true)
            let central = connected.central
            let observer = await RecordingObserver.watch(central)
            await central.run { central in
                observer.onEvent = { [unowned central] in
                    if !central.loop.isCurrent { central.noteLater("thread: \($0)") }
                }
                central.recordTask("task") { peripheral in
                    let _: UInt8 = try peripheral.read(from: location)
                }
                for _ in 0..<10 {
                    central.bluejay.unregister(connectionObserver: observer)
                    central.bluejay.register(connectionObserver: observer)
                }
            }
            await central.forget()
            try await context.testbed.setPowered(false)
            await central.wait(for: "handler")
            try await context.testbed.setPowered(true)
            await central.wait(for: "second: connected")
            let record = await central.record()
            #expect(record.filter { $0.hasPrefix("thread") } == [])
            #expect(
                record == [
                    "available false", "second: available false", "task bluetoothUnavailable",
                    "disconnected Gadget", "second: disconnected",
                    "handler true bluetoothUnavailable", "available true",
                    "second: available true", "connected Gadget", "second: connected",
                ]
            )
        }
    }

    @Test("A task and the loop can access the connection state concurrently")
    func sharedState() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: silentGadget)
            let central = connected.central
            await central.forget()
            await central.run { central in
                central.recordTask("task") { peripheral in
                    var answers: Set<Bool> = []
                    for _ in 0..<200 {
                        answers.insert(try central.bluejay.isListening(to: measurement))
                        answers.insert(central.bluejay.isBluetoothAvailable)
                        _ = peripheral.maximumWriteValueLength(for: .withoutResponse)
                        try peripheral.write(to: controlPoint, value: UInt8(1))
                    }
                    central.noteLater("answers \(answers.count)")
                }
            }
            for _ in 0..<100 {
                _ = await central.isListening(to: measurement)
                _ = await central.state(\.isBluetoothAvailable)
            }
            await central.wait(for: "task")
            await central.expect(["answers 2", "task ok"])
            #expect(try await connected.peripheral.writes().count == 200)
        }
    }

    @Test("Log lines arrive on the loop, including those of a task")
    func logThread() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = try await context.connected(to: silentGadget).central
            let log = LoopLog(central)
            await central.run { central in
                central.retainedObjects.append(log)
                central.bluejay.register(logObserver: log)
            }
            try await central.task { peripheral in
                central.bluejay.stopScanning()
                let _: UInt8 = try peripheral.read(from: controlPoint)
            }
            await central.wait(for: "log")
            let record = await central.record().filter { $0.hasPrefix("log") }
            let task = "log: queue: background task"
            #expect(record.contains { $0.hasPrefix("\(task) started") })
            #expect(record.contains { $0.hasPrefix("\(task) ended") })
            #expect(record.allSatisfy { !$0.hasPrefix("log on a foreign thread") })
        }
    }
}

private final class LoopLog: LogObserver, @unchecked Swift.Sendable {
    // The test verifies that only the loop uses it.
    private weak var central: RecordingCentral?
    init(_ central: RecordingCentral) { self.central = central }
    func debug(_ text: String) {
        guard let central else { return }
        guard central.loop.isCurrent else { return central.noteLater("log on a foreign thread") }
        central.recordEvent("log: \(text)")
    }
}
