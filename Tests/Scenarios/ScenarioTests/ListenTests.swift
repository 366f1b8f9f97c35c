import Bluejay
import BluejaySimulator
import Foundation
import Staging
import TestTraits
import Testing

/// Tests `ListenRegistry`.
@Suite("Listening", .timeLimit(.minutes(15)))
struct ListenTests {
    @Test(
        "A value that is read while listening is not reported as a notification",
        .pitfall(.readLooksLikeNotification)
    )
    func readWhileListening() async throws {
        try await withTestbed { context in
            let central = try await context.connected(
                to: .gadget([ScriptedCharacteristic("2A37", ["read", "notify"], .value([9]))])
            ).central
            await central.listen(measurement)
            for _ in 0..<5 {
                #expect(try await central.value(of: measurement, as: UInt8.self) == 9)
            }
            #expect(await central.record(of: "value") == [])
        }
    }

    @Test("A replaceable listen is notified when another one replaces it")
    func replacedListen() async throws {
        try await withTestbed { context in
            let central = try await context.connected(to: .heartRateSensor()).central
            await central.listen(measurement, option: .replaceable, as: "first")
            await central.wait(for: "first 0 3c")
            await central.listen(measurement, option: .trap, as: "second")
            await central.wait(for: "first failed: multipleListenReplaced")
            await central.wait(for: "second 0")
            await central.listen(measurement, as: "third")
            await central.wait(for: "third failed: multipleListenTrapped")
        }
    }

    @Test("A listen that is ended immediately subscribes and unsubscribes without a value")
    func endedAtOnce() async throws {
        try await withTestbed { context in
            let connected = try await context.connected(
                to: .gadget([ScriptedCharacteristic("2A37", ["notify"], .value([]))])
            )
            let central = connected.central
            await central.forget()
            await central.run { central in
                central.bluejay.listen(to: measurement) { (_: ReadResult<Data>) in
                    central.recordEvent("received")
                }
                central.bluejay.endListen(to: measurement) { _ in central.recordEvent("ended") }
            }
            await central.wait(for: "ended")
            #expect(await central.isListening(to: measurement) == false)
            #expect(await central.record() == ["ended"])
            await central.listen(measurement, as: "again")
            await central.settle()
            try await connected.peripheral.send([1], on: "2A37")
            await central.wait(for: "again 1")
        }
    }

    @Test(
        "Notifications and indications arrive in the order in which they were sent",
        .pitfall(.acquiredSocketLosesFirst)
    )
    func order() async throws {
        try await withTestbed { context in
            let connected = try await context.connected(
                to: .gadget([
                    ScriptedCharacteristic("2A37", ["notify"], .value([])),
                    ScriptedCharacteristic("2A39", ["indicate"], .value([])),
                ])
            )
            let central = connected.central
            await central.listen(measurement, as: "notified")
            await central.listen(controlPoint, as: "indicated")
            await central.settle()
            for number in UInt8(1)...5 {
                try await connected.peripheral.send([number], on: "2A37")
                try await connected.peripheral.send([number], on: "2A39")
            }
            await central.wait(for: "notified 5")
            await central.wait(for: "indicated 5")
            let record = await central.record()
            for name in ["notified", "indicated"] {
                let heard = record.filter { $0.hasPrefix(name) }
                let sent = (1...5).map { "\(name) \($0)" }
                #expect(heard == sent)
            }
        }
    }

    @Test("Listening to a characteristic without notifications fails")
    func notListenable() async throws {
        try await withTestbed { context in
            let central = try await context.connected(to: .heartRateSensor()).central
            await central.listen(location, as: "location")
            await central.wait(for: "location failed")
            #expect(await central.isListening(to: location) == false)
        }
    }
}
