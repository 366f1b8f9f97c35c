import Bluejay
import BluejaySimulator
import Foundation
import Staging
import TestSupport
import TestTraits
import Testing

/// Writes numbers as fast as the queue accepts them, and records `sent` after the last completion.
private final class NumberStream: PeripheralObserver {
    private(set) var mostWaiting = 0
    private var next = 0
    private var waiting = 0
    private var failures = 0
    private let count: Int
    private unowned let central: RecordingCentral

    init(_ central: RecordingCentral, count: Int) {
        self.central = central
        self.count = count
        central.bluejay.register(peripheralObserver: self)
    }

    func go() {
        while next < count, central.bluejay.canSendWriteWithoutResponse {
            let value = Data(bytes(next))
            next += 1
            waiting += 1
            mostWaiting = max(mostWaiting, waiting)
            central.bluejay.write(to: controlPoint, value: value, type: .withoutResponse) {
                [self] result in
                waiting -= 1
                if case .failure = result { failures += 1 }
                if next == count, waiting == 0 { central.recordEvent("sent, \(failures) failed") }
            }
        }
    }

    func peripheralIsReady(toSendWriteWithoutResponse peripheral: PeripheralIdentifier) { go() }
}

private func bytes(_ number: Int) -> [UInt8] {
    [16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
}

private func line(_ number: Int, _ characteristic: String = "2A39") -> String {
    "\(characteristic) \(hexadecimal(bytes(number)))"
}

private let gadget = PeripheralScript.gadget([
    ScriptedCharacteristic("2A37", ["notify"], .value([])),
    ScriptedCharacteristic("2A38", ["read", "write", "write-without-response"], .value([])),
    ScriptedCharacteristic("2A39", ["read", "write", "write-without-response"], .value([])),
])

extension RecordingCentral {
    fileprivate func send(_ numbers: Range<Int>, to characteristic: CharacteristicIdentifier) async
    {
        await run { central in
            for number in numbers {
                central.bluejay.write(
                    to: characteristic,
                    value: Data(bytes(number)),
                    type: .withoutResponse
                ) { [weak central] result in
                    if case .failure(let error) = result {
                        central?.recordEvent("\(number) \(errorName(error))")
                    }
                }
            }
        }
    }

    fileprivate func stream(_ count: Int) async -> NumberStream {
        let stream = await read { central in
            let stream = NumberStream(central, count: count)
            central.retainedObjects.append(stream)
            return Held(stream)
        }
        await run { _ in stream.value.go() }
        return stream.value
    }
}

// Used only on its central's loop.
private struct Held: @unchecked Swift.Sendable {
    let value: NumberStream
    init(_ value: NumberStream) { self.value = value }
}

/// Tests `LinkSockets`.
@Suite("Many writes without response", .timeLimit(.minutes(15)))
struct ManyWritesScenarios {
    // The machine's controllers accept packets immediately, unlike a radio, even if the receiver is slow. If
    // more than about 270 wait for the peripheral, a Python program, its kernel drops them.
    private static let count = isRealBlueZ ? 200 : 10_000

    @Test("All writes arrive in order, and at most 64 wait", .pitfall(.commandsWithoutFlowControl))
    func all() async throws {
        try await withTestbed(isRecorded: false) { context in
            let count = Self.count
            let connected = try await context.connected(to: gadget)
            let stream = Held(await connected.central.stream(count))
            await connected.central.wait(for: "sent")
            #expect(await connected.central.record(of: "sent") == ["sent, 0 failed"])
            #expect(await connected.central.read { _ in stream.value.mostWaiting } == 64)
            let last: Data = try await connected.central.value(of: controlPoint)
            #expect(Array(last) == bytes(count - 1))
            #expect(try await connected.peripheral.writes() == (0..<count).map { line($0) })
        }
    }

    @Test("Writes stay in order across characteristics, writes with response and a disconnect")
    func order() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: gadget)
            let central = connected.central
            var expected: [String] = []
            for round in 0..<5 {
                let first = round * 100
                await central.send(first..<first + 40, to: controlPoint)
                try await central.write(Data(bytes(first + 40)), to: controlPoint)
                await central.send(first + 41..<first + 60, to: controlPoint)
                await central.send(first + 60..<first + 70, to: location)
                await central.send(first + 70..<first + 71, to: controlPoint)
                await central.send(first + 71..<first + 80, to: location)
                await central.send(first + 80..<first + 99, to: controlPoint)
                try await central.write(Data(bytes(first + 99)), to: location)
                for number in first..<first + 100 {
                    let isOther =
                        (60..<70).contains(number % 100)
                        || (71..<80).contains(number % 100) || number % 100 == 99
                    expected.append(line(number, isOther ? "2A38" : "2A39"))
                }
            }
            await central.send(500..<700, to: controlPoint)
            try await central.disconnect()
            expected += (500..<700).map { line($0) }
            try await wait { try await connected.peripheral.writes().count == expected.count }
            #expect(try await connected.peripheral.writes() == expected)
            #expect(await central.record(of: "").filter { $0.first?.isNumber == true } == [])
        }
    }

    @Test("Two instances on one loop share the write socket, and two loops take turns")
    func users() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: gadget)
            let near = await context.central(adapter: "hci0", sharing: connected.central)
            let far = await context.central(adapter: "hci0")
            try await near.connect(connected.identifier)
            try await far.connect(connected.identifier)
            await connected.central.send(0..<50, to: controlPoint)
            await near.send(100..<150, to: controlPoint)
            await connected.central.settle()
            await near.settle()
            // The others' socket blocks these writes until it has been idle for a while.
            await far.send(200..<203, to: controlPoint)
            await far.settle()
            try await wait { try await connected.peripheral.writes().count == 103 }
            let writes = try await connected.peripheral.writes()
            #expect(writes.filter { $0.hasPrefix("2A39 00 00") }.count == 103)
            for first in [0, 100, 200] {
                let own = (first..<first + (first == 200 ? 3 : 50)).map { line($0) }
                #expect(writes.filter { own.contains($0) } == own)
            }
            for central in [connected.central, near, far] {
                #expect(await central.record().filter { $0.first?.isNumber == true } == [])
            }
        }
    }

    @Test(
        "A lost link ends pending writes, and writes work again over the next link",
        .fault(.linkLost, during: .write)
    )
    func lost() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: gadget)
            let central = connected.central
            await central.send(0..<100, to: controlPoint)
            await central.settle()
            try await connected.peripheral.dropLink()
            await central.wait(for: "disconnected")
            try await central.connect(connected.identifier)
            await central.send(100..<200, to: controlPoint)
            let last: Data = try await central.value(of: controlPoint)
            #expect(Array(last) == bytes(199))
            let writes = try await connected.peripheral.writes()
            #expect(writes.suffix(100) == (100..<200).map { line($0) }[...])
        }
    }

    @Test(
        "If bluetoothd is killed, pending writes end and Bluetooth recovers",
        .fault(.daemonKilled, during: .write)
    )
    func killed() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: gadget)
            let central = connected.central
            await central.send(0..<100, to: controlPoint)
            await central.settle()
            try await context.testbed.endDaemon(politely: false)
            await central.wait(for: "available false")
            try await context.testbed.startDaemon()
            await central.wait(for: "available true")
        }
    }

    @Test("Empty, long and short values arrive in order")
    func lengths() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: gadget)
            let central = connected.central
            let limit = try await central.read {
                try $0.bluejay.maximumWriteValueLength(for: .withoutResponse)
            }
            let lengths = [1, 1, 1, 0, 1, 1, 1, 1, limit, limit, 1, 0]
            for length in lengths {
                try await central.write(
                    Data(repeating: 7, count: length),
                    to: controlPoint,
                    type: .withoutResponse
                )
            }
            let error = await #expect(throws: BluejayError.self) {
                try await central.write(
                    Data(repeating: 7, count: limit + 1),
                    to: controlPoint,
                    type: .withoutResponse
                )
            }
            #expect(error == .valueTooLong(length: limit + 1, limit: limit))
            let last: Data = try await central.value(of: controlPoint)
            #expect(last.isEmpty)
            let sent = try await connected.peripheral.writes()
            #expect(sent.map { $0.split(separator: " ").count - 1 } == lengths)
        }
    }

    @Test("Without write sockets, the writes arrive in the same order")
    func unwilling() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: gadget)
            await connected.central.run { $0.bluejay.usesWriteSockets = false }
            await connected.central.send(0..<200, to: controlPoint)
            let last: Data = try await connected.central.value(of: controlPoint)
            #expect(Array(last) == bytes(199))
            #expect(try await connected.peripheral.writes() == (0..<200).map { line($0) })
        }
    }
}

@Suite("Many writes without response on the simulator", .enabled(if: !isRealBlueZ))
struct SimulatedWritesTests {
    @Test("100,000 writes in a loop all arrive, and at most 64 wait", .timeLimit(.minutes(15)))
    func loop() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: gadget)
            let stream = Held(await connected.central.stream(100_000))
            await connected.central.wait(for: "sent")
            #expect(await connected.central.record(of: "sent") == ["sent, 0 failed"])
            #expect(await connected.central.read { _ in stream.value.mostWaiting } == 64)
            let last: Data = try await connected.central.value(of: controlPoint)
            #expect(Array(last) == bytes(99_999))
            #expect(
                try await connected.peripheral.writes() == (90_000..<100_000).map { line($0) }
            )
        }
    }

    @Test("A completion that writes again does not starve the loop", .timeLimit(.minutes(15)))
    func again() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: gadget)
            await connected.central.run { central in
                var count = 0
                func again() {
                    central.bluejay.write(
                        to: controlPoint,
                        value: Data(bytes(count)),
                        type: .withoutResponse
                    ) { _ in
                        count += 1
                        if count < 20_000 { again() } else { central.recordEvent("over") }
                    }
                }
                again()
                central.recordEvent("asked")
            }
            await connected.central.run { $0.recordEvent("a turn") }
            await connected.central.wait(for: "over")
            #expect(await connected.central.record().suffix(3) == ["asked", "a turn", "over"])
        }
    }

    @Test("Other threads read the last published canSendWriteWithoutResponse")
    func elsewhere() async throws {
        let bluejay = Bluejay(mainLoop: MainLoop(threadName: "writes"))
        #expect(try await onOwnThread { bluejay.canSendWriteWithoutResponse })
    }
}
