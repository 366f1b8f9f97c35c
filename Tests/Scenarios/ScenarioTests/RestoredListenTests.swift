import Bluejay
import BluejaySimulator
import BusTrace
import Foundation
import Staging
import Testing

@Suite("Restored listens after a killed run", .timeLimit(.minutes(15)))
struct RestoredListenTests {
    private let lives: ProgramRuns

    init() throws { lives = try ProgramRuns() }

    /// Sends values continuously; its other characteristic is slow to read.
    private let gadget = PeripheralScript.gadget([
        ScriptedCharacteristic(
            "2A37",
            ["notify"],
            .sends((60..<120).map { [0, UInt8($0)] }, everySeconds: 1)
        ),
        ScriptedCharacteristic("2A38", ["read"], .repliesLate([1], afterSeconds: 5)),
    ])

    @Test("After promiseRestoration, a later listen receives the values")
    func promised() async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.testbed.add(gadget)
            try await lives.live(context)
            let life = await lives.next(context)
            await life.central.wait(for: "unhandled 0 ")
            await life.central.listen(measurement)
            await life.central.wait(for: "value 0 ")
            await life.central.forget()
            await life.central.wait(for: "value 0 ")
            #expect(await life.record().allSatisfy { $0.hasPrefix("value 0 ") })
        }
    }

    @Test("A restorer that listens in its callback is called once, even if the queue is busy")
    func listeningRestorer() async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.testbed.add(gadget)
            try await lives.live(context)
            let life = await ProgramRun(context)
            life.restorer.then = { central in
                central.bluejay.read(from: location) { (_: ReadResult<UInt8>) in }
            }
            life.restorer.onValue = { central in
                central.bluejay.listen(to: measurement) { (result: ReadResult<Data>) in
                    switch result {
                    case .success: central.recordEvent("value")
                    case .failure(let error): central.recordEvent("listen \(errorName(error))")
                    }
                }
            }
            await life.start("demo", in: lives.home.url)
            await life.central.wait(for: "value")
            let record = await life.record().filter { !$0.hasPrefix("value") }
            let expected = ["available true", "restored Gadget", "connected Gadget", "unhandled"]
            #expect(record.map { $0.split(separator: " 0 ").first.map(String.init) } == expected)
        }
    }

    @Test("stopListen turns notifications off and removes the listen from the saved state")
    func unwanted() async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.testbed.add(gadget)
            try await lives.live(context)
            let recorder = try await BusRecorder.start(busAddress: context.testbed.busAddress)
            let life = await lives.next(context, answering: .stopListen)
            await life.central.wait(for: "unhandled 0 ")
            await life.central.settle()
            await life.central.forget()
            // Meanwhile, several values arrive.
            #expect(try await life.central.value(of: location, as: UInt8.self) == 1)
            #expect(await life.record() == [])
            let calls = await recorder.stop().filter { $0.kind == .call }.map(\.member)
            #expect(calls.contains("StopNotify"))
            let file = lives.home.url.appending(path: "bluejay/demo.json")
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(text.contains("Gadget") && !text.uppercased().contains("2A37"))
        }
    }

    @Test("Values that arrive while endListen is queued are not reported as unhandled")
    func betweenEndAndTurn() async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.testbed.add(gadget)
            try await lives.live(context)
            let life = await lives.next(context)
            await life.central.wait(for: "unhandled 0 ")
            await life.central.run { central in
                // The end of the listen waits for the read while values keep arriving.
                central.bluejay.read(from: location) { (result: ReadResult<UInt8>) in
                    central.recordEvent("read \(result.text)")
                }
                central.bluejay.endListen(to: measurement) { _ in central.recordEvent("end") }
                central.recordEvent("asked")
            }
            await life.central.wait(for: "end")
            let record = await life.record()
            #expect(record.drop { $0 != "asked" } == ["asked", "read 1", "end"])
        }
    }

    // MARK: Restorers

    @Test("Released restorers are ignored, and the log reports the loss", arguments: [true, false])
    func releasedRestorers(isThere: Bool) async throws {
        try await withTestbed(isRecorded: false) { context in
            let peripheral = try await context.testbed.add(.heartRateSensor())
            try await lives.live(context)
            if !isThere { try await peripheral.leaveRange() }
            let central = await RecordingCentral(
                context.testbed.busAddress,
                adapter: "hci0",
                starts: false
            )
            let log = RestorationLog(central)
            let folder = lives.home.url
            await central.run { central in
                central.bluejay.register(logObserver: log)
                central.bluejay.start(restoring: Restorer().config("demo", in: folder))
            }
            await central.wait(for: "log restoration: restoration result not reported")
            guard isThere else {
                try await peripheral.returnToRange()
                _ = try await central.find()
                return
            }
            await central.wait(for: "connected")
            await central.wait(for: "log restoration: value lost: listen restorer")
            #expect(try await central.value(of: location, as: UInt8.self) == 1)
        }
    }

    @Test("A link lost while subscribing fails the restored listens with notConnected")
    func lostMeanwhile() async throws {
        try await withTestbed(isRecorded: false) { context in
            let peripheral = try await context.testbed.add(gadget)
            try await lives.live(context)
            try await peripheral.stopResponding()
            let life = await lives.next(context)
            await life.central.wait(for: "connected Gadget")
            // The first listen waits for a missing answer, the second for the first.
            await life.central.listen(measurement, as: "first")
            await life.central.listen(location, as: "second")
            try await peripheral.dropLink()
            await life.central.wait(for: "disconnected Gadget")
            let record = await life.record().drop { $0 != "connected Gadget" }
            #expect(
                record == [
                    "connected Gadget", "first failed: notConnected",
                    "second failed: notConnected", "disconnected Gadget",
                ]
            )
        }
    }
}
