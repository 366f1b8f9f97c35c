import Bluejay
import BluejayGLib
import BluejaySimulator
import Foundation
import Staging
import TestSupport
import TestTraits
import Testing

private let gadget = PeripheralScript.gadget([
    ScriptedCharacteristic("2A37", ["notify", "read"], .value([])),
    ScriptedCharacteristic("2A38", ["read"], .value([1])),
])

extension RecordingCentral {
    fileprivate func listen(_ name: String, through path: ListenTransport) async {
        await run { central in
            central.bluejay.listen(to: measurement, through: path) {
                [weak central] (result: ReadResult<Data>) in
                switch result {
                case .success(let value):
                    central?.recordEvent("\(name) \(hexadecimal(Array(value)))")
                case .failure(let error): central?.recordEvent("\(name) \(errorName(error))")
                }
            }
        }
        await settle()
    }
}

@Suite("Listening through a socket", .timeLimit(.minutes(15)))
struct SocketListenScenarios {
    @Test(
        "Values stay in order, empty ones included, and a listen can be ended and restarted",
        .pitfall(.emptyNotification)
    )
    func values() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: gadget)
            let central = connected.central
            await central.listen("a", through: .socket)
            for value: [UInt8] in [[1], [], [2], [], [], [3]] {
                try await connected.peripheral.send(value, on: "2A37")
            }
            await central.wait(for: "a 03")
            #expect(
                await central.record(of: "a ") == ["a 01", "a ", "a 02", "a ", "a ", "a 03"]
            )
            try await central.endListen(measurement)
            try await connected.peripheral.send([4], on: "2A37")
            for (name, path) in [("b", ListenTransport.signals), ("c", .socket)] {
                await central.listen(name, through: path)
                try await connected.peripheral.send([5], on: "2A37")
                await central.wait(for: "\(name) 05")
                try await central.endListen(measurement)
            }
            #expect(await central.record(of: "a ").count == 6)
            #expect(await central.record(of: "b ") == ["b 05"])
            #expect(await central.record(of: "c ") == ["c 05"])
        }
    }

    @Test(
        "A value that is read is not reported, unlike a notification with the same value",
        .pitfall(.readLooksLikeNotification)
    )
    func reads() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: gadget)
            let central = connected.central
            await central.listen("a", through: .socket)
            let read: Data = try await central.value(of: measurement)
            #expect(read.isEmpty)
            try await connected.peripheral.send([7], on: "2A37")
            await central.wait(for: "a 07")
            #expect(await central.record(of: "a ") == ["a 07"])
        }
    }

    @Test(
        "If another program already listens, values silently arrive by signals instead",
        .pitfall(.acquiredExcludesOthers)
    )
    func fallBack() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: gadget)
            let other = await context.central(adapter: "hci0")
            try await other.connect(connected.identifier)
            await other.listen("other", through: .signals)
            await connected.central.listen("own", through: .socket)
            try await connected.peripheral.send([1], on: "2A37")
            await connected.central.wait(for: "own 01")
            await other.wait(for: "other 01")
            // bluetoothd signals each value to all programs, once for each program that listens.
            #expect(Set(await connected.central.record(of: "own ")) == ["own 01"])
        }
    }

    @Test("Two programs that listen by signals each receive every value twice")
    func twice() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: gadget)
            let other = await context.central(adapter: "hci0")
            try await other.connect(connected.identifier)
            await connected.central.listen("own", through: .signals)
            try await connected.peripheral.send([1], on: "2A37")
            await connected.central.wait(for: "own 01")
            await other.listen("other", through: .signals)
            for value: UInt8 in [2, 3] {
                try await connected.peripheral.send([value], on: "2A37")
            }
            // Both signals of a value precede those of the next.
            await connected.central.wait(for: "own 03")
            await other.wait(for: "other 03")
            let own = await connected.central.record(of: "own ")
            #expect(own.prefix(3) == ["own 01", "own 02", "own 02"])
            #expect(await other.record(of: "other ").prefix(2) == ["other 02", "other 02"])
        }
    }

    @Test(
        "A listen through a socket receives each value once and excludes other programs",
        .pitfall(.acquiredExcludesOthers)
    )
    func alone() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: gadget)
            let other = await context.central(adapter: "hci0")
            try await other.connect(connected.identifier)
            await connected.central.listen("own", through: .socket)
            await other.listen("other", through: .signals)
            await other.wait(for: "other error 40")
            for value: UInt8 in [1, 2] {
                try await connected.peripheral.send([value], on: "2A37")
            }
            await connected.central.wait(for: "own 02")
            #expect(await connected.central.record(of: "own ") == ["own 01", "own 02"])
            #expect(await other.record(of: "other ") == ["other error 40"])
        }
    }

    @Test(
        "Indications arrive through a socket, although BlueZ has no NotifyAcquired for them",
        .enabled(if: !isRealBlueZ, "recorded with notifications only"),
        .pitfall(.acquiredPropertyMissing)
    )
    func indications() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(
                to: .gadget([ScriptedCharacteristic("2A37", ["indicate"], .value([]))])
            )
            let other = await context.central(adapter: "hci0")
            try await other.connect(connected.identifier)
            await connected.central.listen("own", through: .socket)
            await other.listen("other", through: .signals)
            await other.wait(for: "other error 40")
            try await connected.peripheral.send([1], on: "2A37")
            await connected.central.wait(for: "own 01")
        }
    }

    @Test(
        "While the loop is blocked, a full socket loses values, and later values arrive",
        .enabled(if: !isRealBlueZ, "the emulated radio is too slow to fill a socket"),
        .pitfall(.fullNotifySocket)
    )
    func full() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: gadget)
            let central = connected.central
            await central.listen("a", through: .socket)
            let isSent = LockedValue(false)
            async let blocked: Void = central.run { _ in while !isSent.value { usleep(1_000) } }
            for _ in 0..<2_000 { try await connected.peripheral.send([1], on: "2A37") }
            isSent.update { $0 = true }
            await blocked
            await central.settle()
            let count = await central.record(of: "a ").count
            #expect(count > 100 && count < 2_000)
            try await connected.peripheral.send([2], on: "2A37")
            await central.wait(for: "a 02")
            #expect(await central.record(of: "a ").count == count + 1)
        }
    }

    @Test("Two listeners on one loop share the transport of the first", arguments: [true, false])
    func shared(socketFirst: Bool) async throws {
        try await withTestbed(variant: "\(socketFirst)", isRecorded: false) { context in
            let connected = try await context.connected(to: gadget)
            let near = await context.central(adapter: "hci0", sharing: connected.central)
            try await near.connect(connected.identifier)
            await connected.central.listen("first", through: socketFirst ? .socket : .signals)
            await near.listen("second", through: socketFirst ? .signals : .socket)
            try await connected.peripheral.send([1], on: "2A37")
            await connected.central.wait(for: "first 01")
            await near.wait(for: "second 01")
            try await connected.central.endListen(measurement)
            try await connected.peripheral.send([2], on: "2A37")
            await near.wait(for: "second 02")
            #expect(await near.record(of: "second") == ["second 01", "second 02"])
            #expect(await connected.central.record(of: "first") == ["first 01"])
        }
    }

    @Test(
        "A lost link ends the listen silently, and the next listen uses a socket again",
        .pitfall(.socketLifetime)
    )
    func lost() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: gadget)
            let central = connected.central
            await central.listen("a", through: .socket)
            try await connected.peripheral.dropLink()
            await central.wait(for: "disconnected")
            try await central.connect(connected.identifier)
            await central.listen("b", through: .socket)
            try await connected.peripheral.send([2], on: "2A37")
            await central.wait(for: "b 02")
            #expect(await central.record(of: "a ").isEmpty)
        }
    }
}
