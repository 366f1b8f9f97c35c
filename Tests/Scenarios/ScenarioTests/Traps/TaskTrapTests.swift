import Bluejay
import BluejaySimulator
import Foundation
import Staging
import TestTraits
import Testing

@Suite("Known iOS faults: background tasks", .timeLimit(.minutes(15)))
struct TaskTrapTests {
    @Test("Regular calls inside a task fail with an error")
    func regularCalls() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: silentGadget)
            let (central, gadget) = (connected.central, connected.identifier)
            await central.forget()
            await central.run { central in
                central.recordTask("task") { _ in
                    central.recordScan("scan")
                    central.recordConnect("connect", gadget)
                    central.recordDisconnect("disconnect")
                    central.recordRead("read")
                    central.recordWrite("write", 1)
                    central.recordListen("listen")
                    central.recordEndListen("end")
                    do { try central.bluejay.readRSSI() } catch {
                        central.noteLater("strength \(errorName(error))")
                    }
                    central.bluejay.readRSSI { result in
                        guard case .failure(let error) = result else { return }
                        central.recordEvent("strength completed \(errorName(error))")
                    }
                    central.bluejay.run(backgroundTask: { _ in }) { (result: RunResult<Void>) in
                        if case .failure(let error) = result {
                            central.recordEvent("inner task \(errorName(error))")
                        }
                    }
                    central.bluejay.stopScanning()
                }
                // This read runs on the loop, beside the task.
                central.recordRead("beside")
            }
            await central.wait(for: "task")
            let calls = [
                "beside", "scan stopped", "connect", "disconnect", "read", "write", "listen", "end",
                "strength", "strength completed",
            ]
            let all = calls.map { "\($0) backgroundTaskRunning" }
            await central.expect(
                all + ["inner task multipleBackgroundTaskNotSupported", "task ok"]
            )
            #expect(try await central.value(of: controlPoint, as: UInt8.self) == 7)
        }
    }

    enum Outcome: CaseIterable {
        case returns, throwsIt, throwsAnother

        var text: String {
            switch self {
            case .returns: "ok"
            case .throwsIt: "notConnected"
            case .throwsAnother: "TestbedError"
            }
        }
    }

    @Test(
        "A connection lost during a task is reported and restored, however the task ends",
        .fault(.linkLost, during: .backgroundTask),
        arguments: Outcome.allCases
    )
    func lostDuringTask(outcome: Outcome) async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: silentGadget, reconnects: true)
            let central = connected.central
            await RecordingObserver.watch(central)
            await central.run { central in
                central.recordTask("task") { peripheral in
                    central.noteLater("begins")
                    do {
                        let _: UInt8 = try peripheral.read(from: location)
                    } catch {
                        central.noteLater("inside \(errorName(error))")
                        switch outcome {
                        case .returns: break
                        case .throwsIt: throw error
                        case .throwsAnother: throw TestbedError("another")
                        }
                    }
                }
            }
            await central.wait(for: "begins")
            try await connected.peripheral.dropLink()
            await central.wait(for: "second: connected")
            await central.expect([
                "begins", "inside notConnected", "task \(outcome.text)", "disconnected Gadget",
                "second: disconnected", "handler true linkLost", "connected Gadget",
                "second: connected",
            ])
        }
    }

    enum Ending: CaseIterable {
        case drop, off, cancelled

        var error: String {
            switch self {
            case .drop: "notConnected"
            case .off: "bluetoothUnavailable"
            case .cancelled: "cancelled"
            }
        }
    }

    @Test(
        "Every ending wakes a task that listens without a timeout",
        .fault(.linkLost, .bluetoothOff, during: .backgroundTask),
        arguments: Ending.allCases
    )
    func wokenListen(ending: Ending) async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: silentGadget)
            let central = connected.central
            await central.forget()
            await central.run { central in
                central.recordTask("task") { peripheral in
                    try peripheral.listen(to: measurement) { (_: Data) -> ListenAction in
                        central.recordEvent("received")
                        return .keepListening
                    }
                }
            }
            // Until the first value arrives, the set-up may still be in progress.
            while await !central.record().contains("received"), !Task.isCancelled {
                try await connected.peripheral.send([1], on: "2A37")
            }
            switch ending {
            case .drop: try await connected.peripheral.dropLink()
            case .off: try await context.testbed.setPowered(false)
            case .cancelled: await central.run { $0.bluejay.cancelEverything() }
            }
            await central.wait(for: "task")
            await central.wait(for: "disconnected")
            let record = await central.record()
                .filter { $0 != "received" && $0 != "available false" }
            #expect(record == ["task \(ending.error)", "disconnected Gadget"])
        }
    }

    @Test("Releasing the instance cancels its task")
    func released() async throws {
        try await withTestbed(isRecorded: false) { context in
            let found = try await context.found(silentGadget)
            let (central, peripheral, gadget) = (found.central, found.peripheral, found.identifier)
            await central.forget()
            let address = context.testbed.busAddress
            let owner = Owner()
            await central.run { central in
                let bluejay = Bluejay(
                    mainLoop: central.loop,
                    adapter: "hci0",
                    busAddress: address
                )
                owner.bluejay = bluejay
                bluejay.start()
                bluejay.connect(gadget) { _ in
                    owner.bluejay?.run(backgroundTask: { peripheral in
                        try peripheral.listen(to: measurement) { (_: Data) -> ListenAction in
                            central.recordEvent("received")
                            return .keepListening
                        }
                    }) { (result: RunResult<Void>) in
                        if case .failure(let error) = result {
                            central.recordEvent("task \(errorName(error))")
                        }
                    }
                }
            }
            while await !central.record().contains("received"), !Task.isCancelled {
                try await peripheral.send([1], on: "2A37")
            }
            await central.run { _ in owner.bluejay = nil }
            await central.wait(for: "task")
            let record = await central.record().filter { $0 != "received" }
            #expect(record == ["task cancelled"])
        }
    }

    @Test("A task receives its data by value and returns its result")
    func userData() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = try await context.connected(to: silentGadget).central
            await central.forget()
            await central.run { central in
                var values: [UInt8] = [3]
                central.bluejay.run(userData: values) { peripheral, values -> [UInt8] in
                    values + [try peripheral.read(from: controlPoint)]
                } completionOnMainThread: { result in
                    if case .success(let values) = result { central.recordEvent("task \(values)") }
                }
                values.append(4)
            }
            await central.wait(for: "task")
            await central.expect(["task [3, 7]"])
        }
    }

    @Test("Errors thrown by a task reach the completion unchanged")
    func thrownError() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = try await context.connected(to: silentGadget).central
            let error = await #expect(throws: TestbedError.self) {
                try await central.task { _ in throw TestbedError("as it is") }
            }
            #expect(error?.description == "as it is")
            await #expect(throws: BluejayError.missingService(ServiceIdentifier(uuid: "180F"))) {
                try await central.task { peripheral -> UInt8 in
                    let battery = ServiceIdentifier(uuid: "180F")
                    let level = CharacteristicIdentifier(uuid: "2A19", service: battery)
                    return try peripheral.read(from: level)
                }
            }
        }
    }
}

// Used only on the loop, which justifies `@unchecked`.
private final class Owner: @unchecked Swift.Sendable {
    var bluejay: Bluejay?
}
