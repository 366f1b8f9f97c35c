import Bluejay
import Foundation
import Staging
import TestSupport
import TestTraits
import Testing

/// Instances that share an adapter, each with its own peripheral.
@Suite("Several peripherals at once", .timeLimit(.minutes(15)))
struct PeripheralCrowdScenarios {
    @Test(
        "Each instance receives only the values and the disconnection of its peripheral",
        arguments: [true, false]
    )
    func three(onOneLoop: Bool) async throws {
        try await withTestbed(variant: onOneLoop ? "one loop" : "three loops", on: .multiplePeers) {
            context in
            let crowd = try await context.foundPeripherals(3, onOneLoop: onOneLoop)
            try await crowd.connect()
            for each in crowd {
                await each.central.listen(measurement)
                await each.central.settle()
            }
            for round in UInt8(1)...3 {
                for (number, each) in zip(UInt8(1)..., crowd) {
                    try await each.peripheral.send([number, round], on: "2A37")
                }
            }
            for (number, each) in zip(UInt8(1)..., crowd) {
                await each.central.wait(for: "value \(number) 3")
                #expect(
                    await each.central.record(of: "value")
                        == (1...3).map { "value \(number) \($0)" }
                )
                #expect(try await each.central.value(of: location) == number)
                try await each.central.write(Data([number]), to: controlPoint)
                #expect(try await each.peripheral.writes() == ["2A39 0\(number)"])
            }
            try await crowd[0].peripheral.dropLink()
            await crowd[0].central.wait(for: "disconnected")
            for (number, each) in zip(UInt8(2)..., crowd.dropFirst()) {
                try await each.peripheral.send([number, 9], on: "2A37")
                await each.central.wait(for: "value \(number) 9")
                #expect(await each.central.record(of: "disconnected").isEmpty)
            }
        }
    }

    @Test(
        "A connect to an absent peripheral delays no other call, and retries after its timeout succeed",
        .pitfall(.parallelConnects)
    )
    func absent() async throws {
        try await withTestbed(on: .multiplePeers) { context in
            let crowd = try await context.foundPeripherals(4)
            let absent = crowd[3]
            try await absent.peripheral.leaveRange()
            await absent.central.run { central in
                central.recordConnect("short", absent.identifier, timeout: .seconds(4)) {
                    central.recordConnect("long", absent.identifier, timeout: .seconds(60))
                }
            }
            try await wait { await absent.central.isConnecting() }
            try await crowd.prefix(3).connect()
            // The connects do not consume the absent peripheral's time limit.
            #expect(await absent.central.record(of: "long").isEmpty)
            for (number, each) in zip(UInt8(1)..., crowd.prefix(3)) {
                #expect(try await each.central.value(of: location) == number)
            }
            await absent.central.wait(for: "short")
            try await absent.peripheral.returnToRange()
            await absent.central.wait(for: "long")
            #expect(await absent.central.record(of: "short") == ["short connectionTimedOut"])
            #expect(await absent.central.record(of: "long") == ["long ok"])
        }
    }

    @Test(
        "A scan reports each advertisement with its RSSI while a connect waits for an absent device"
    )
    func scanBesideConnect() async throws {
        try await withTestbed(on: .multiplePeers) { context in
            let crowd = try await context.foundPeripherals(2)
            let absent = crowd[1]
            try await absent.peripheral.leaveRange()
            await absent.central.run {
                $0.recordConnect("absent", absent.identifier, timeout: .none)
            }
            try await wait { await absent.central.isConnecting() }
            try await crowd[0].peripheral.setStrength(-71)
            let scanning = crowd[0].central
            await scanning.forget()
            await scanning.run { central in
                var count = 0
                central.bluejay.scan(
                    allowDuplicates: true,
                    throttleRSSIDelta: 0,
                    serviceIdentifiers: [ServiceIdentifier(uuid: PeripheralScript.service(1))]
                ) { found, _ in
                    central.recordEvent("received \(found.rssi)")
                    // Remembered strengths may be reported first.
                    if found.rssi == -71 { count += 1 }
                    return count == 10 ? .stop : .continue
                } stopped: { _, error in
                    central.recordEvent("stopped \(error.map(errorName) ?? "ok")")
                }
            }
            await scanning.wait(for: "stopped")
            #expect(await scanning.record(of: "stopped") == ["stopped ok"])
            #expect(await scanning.record(of: "received -71").count == 10)
            #expect(await absent.central.record(of: "absent").isEmpty)
            // The kernel crashes if the controller disappears during a pending operation.
            try await absent.peripheral.returnToRange()
            await absent.central.wait(for: "absent ok")
        }
    }
}
