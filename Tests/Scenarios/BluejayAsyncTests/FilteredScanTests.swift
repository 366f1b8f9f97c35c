import Bluejay
import BluejayAsync
import BluejaySimulator
import Foundation
import TestSupport
import Testing

@Suite("Searches with await", .timeLimit(.minutes(15)))
struct FilteredScanTests {
    @Test(
        "A stream delivers matching peripherals, in the queue and beside it",
        arguments: [false, true]
    )
    func stream(besideQueue: Bool) async throws {
        let stage = try await AsyncStage()
        await stage.system.perform { world in
            world.add(
                SimulatedDevice(
                    address: "C0:00:00:00:00:02",
                    name: "Other",
                    advertising: ["180D"]
                )
            )
        }
        let ended = await drain(
            stage.bluejay.scan(
                matching: .namePrefix("Gad"),
                duration: 2,
                besideQueue: besideQueue
            )
        )
        #expect(ended.elements.map(\.peripheralIdentifier.name) == ["Gadget"])
        #expect(ended.error == nil)
        #expect(await stage.onLoop { $0.isScanning } == false)
    }

    @Test("A stream beside the queue delays no call, and leaving the loop ends its scan")
    func beside() async throws {
        let stage = try await AsyncStage.connected()
        let stream = stage.bluejay.scan(matching: .everything, besideQueue: true)
        let task = Task { for try await _ in stream {} }
        try await wait { await stage.onLoop { $0.isScanning } }
        try await stage.settle()
        #expect(await stage.onLoop { $0.isScanning && $0.isConnected })
        task.cancel()
        try await task.value
        try await wait { await stage.onLoop { !$0.isScanning } }
    }

    @Test("A stream with an invalid filter throws")
    func refused() async throws {
        let stage = try await AsyncStage()
        let ended = await drain(stage.bluejay.scan(matching: .address("C4")))
        #expect(ended.reason == .malformedAddress("C4"))
    }

    @Test("connect(toFirst:) connects to the first matching peripheral")
    func first() async throws {
        let stage = try await AsyncStage()
        let found = try await stage.bluejay.connect(toFirst: .anyService([service]), within: 10)
        #expect(found.name == "Gadget")
        let value: UInt8 = try await stage.bluejay.read(from: quick)
        #expect(value == 1)
    }

    @Test("If no peripheral matches in time, the error describes the filter")
    func nobody() async throws {
        let stage = try await AsyncStage()
        let error = await #expect(throws: BluejayError.self) {
            try await stage.bluejay.connect(toFirst: .namePrefix("Polar"), within: .seconds(0.2))
        }
        #expect(error == .noPeripheralFound("name \"Polar…\""))
        #expect(
            error.map { "\($0)" }
                == "connect: no peripheral with name \"Polar…\" found in time; "
                + "check that it is on, in range and advertising"
        )
    }

    @Test(
        "Cancelling the task ends the search or the attempt, and another one succeeds",
        arguments: ["search", "attempt"]
    )
    func cancelled(_ kind: String) async throws {
        let stage = try await AsyncStage()
        let bluejay = stage.bluejay
        if kind == "attempt" { try await stage.gadget { $0.answersDiscovery = false } }
        let name = kind == "attempt" ? "Gadget" : "Nobody"
        let task = Task.immediate { try await bluejay.connect(toFirst: .namePrefix(name)) }
        try await wait { await stage.onLoop { $0.isConnecting } }
        if kind == "attempt" { try await wait { try await stage.gadget { $0.isConnected } } }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(await stage.onLoop { $0.isConnecting || $0.isConnected } == false)
        try await stage.gadget { $0.answersDiscovery = true }
        try await bluejay.connect(toFirst: .namePrefix("Gadget"), within: 10)
    }

    @Test("A task that is already cancelled starts no search")
    func cancelledBefore() async throws {
        let stage = try await AsyncStage()
        let bluejay = stage.bluejay
        let task = Task {
            // This wait ends with the cancellation, so the call starts cancelled.
            for await _ in AsyncStream<Void>.makeStream().stream {}
            try await bluejay.connect(toFirst: .everything)
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(await stage.onLoop { $0.isConnecting } == false)
    }
}

@Suite("Watches with await", .timeLimit(.minutes(15)))
struct WatchStreamTests {
    @Test("The stream of a watch reports its mode and found and lost peripherals")
    func events() async throws {
        let stage = try await AsyncStage()
        var events: [String] = []
        for try await event in stage.bluejay.watch(for: .anyService([service]), lostAfter: 1) {
            switch event {
            case .started(let mode): events.append("\(mode)")
            case .changed: break
            case .found(let found):
                events.append("found \(found.peripheralIdentifier.name)")
                try await stage.gadget { $0.leaveRange() }
            case .lost(let lost): events.append("lost \(lost.peripheralIdentifier.name)")
            }
            if events.count == 3 { break }
        }
        #expect(events == ["passive", "found Gadget", "lost Gadget"])
        try await wait { await stage.onLoop { !$0.isScanning } }
    }

    @Test("stopScanning ends a watch stream without an error, and other endings throw their reason")
    func ends() async throws {
        let stage = try await AsyncStage()
        let stream = stage.bluejay.watch(for: .everything)
        try await wait { await stage.onLoop { $0.isScanning } }
        await stage.bluejay.stopScanning()
        #expect(await drain(stream).error == nil)
        let other = stage.bluejay.watch(for: .everything)
        try await wait { await stage.onLoop { $0.isScanning } }
        await stage.bluejay.cancelEverything()
        #expect(await drain(other).reason == .cancelled)
        #expect(
            await drain(stage.bluejay.watch(for: .address("x"))).reason == .malformedAddress("x")
        )
    }
}
