import Bluejay
import BluejaySimulator
import Foundation
import Staging
import TestSupport
import TestTraits
import Testing

/// The end of an instance with a pending call.
enum Departure: CaseIterable {
    case released, stopped, stoppedAndReleased
}

@Suite("Adapter power", .timeLimit(.minutes(15)))
struct AdapterPowerTests {
    @Test("setPowered completes once Bluetooth is usable or unavailable and the observers know")
    func offAndOn() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: .gadget([]))
            let central = connected.central
            await central.forget()
            await central.run { central in
                central.bluejay.setPowered(false, completion: central.ended("off"))
                central.recordEvent("called")
            }
            await central.wait(for: "off")
            await central.expect([
                "called", "available false", "disconnected Gadget", "off ok",
            ])
            await central.forget()
            let adapter = try await central.setPowered(true, of: "hci0")
            #expect(adapter.isPowered)
            await central.expect(["available true"])
            #expect(try await central.setPowered(true).isPowered)
            try await central.connect(connected.identifier)
        }
    }

    @Test(
        "A blocked adapter fails with an error that names rfkill, and powers on again when unblocked",
        .pitfall(.powerRefused)
    )
    func blocked() async throws {
        try await withTestbed { context in
            let central = await context.availableCentral(adapter: "hci0")
            await central.watchAdapters()
            try await context.testbed.setBlocked(true)
            await central.wait(for: "available false")
            try await wait { await central.record().contains { $0.hasSuffix("to hci0 blocked") } }
            // A busy bluetoothd reports both changes at once.
            let changes = await central.record(of: "watch changed hci0")
            #expect(
                [
                    [
                        "watch changed hci0 on to hci0 off",
                        "watch changed hci0 off to hci0 blocked",
                    ],
                    ["watch changed hci0 on to hci0 blocked"],
                ].contains(changes)
            )
            let error = await #expect(throws: BluejayError.bluetoothUnavailable(.blocked)) {
                try await central.setPowered(true)
            }
            #expect(error?.localizedDescription.contains("rfkill unblock bluetooth") == true)
            #expect(central.bluejay.adapter?.isBlocked == true)
            await central.forget()
            try await context.testbed.setBlocked(false)
            await central.wait(for: "available true")
            #expect(try await central.setPowered(true).isPowered)
        }
    }

    @Test(
        "On a BlueZ without the power state, the error still names rfkill",
        .enabled(if: !isRealBlueZ, "the test machine has one version of bluetoothd")
    )
    func blockedOnOldBlueZ() async throws {
        var options = SimulatorOptions()
        options.version = .v5_55
        let system = try await SimulatedSystem.start(options)
        let central = await RecordingCentral(system.busAddress)
        await system.perform { $0.setBlocked(true) }
        await central.wait(for: "available false")
        await #expect(throws: BluejayError.bluetoothUnavailable(.blocked)) {
            try await central.setPowered(true)
        }
        #expect(central.bluejay.adapter?.bluezVersion == BlueZVersion(5, 55))
    }

    @Test("setPowered fails for a missing adapter and without bluetoothd")
    func missing() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = await context.availableCentral()
            await #expect(throws: BluejayError.bluetoothUnavailable(.adapterNotFound("hci7"))) {
                try await central.setPowered(true, of: "hci7")
            }
            try await context.testbed.endDaemon(politely: false)
            await central.wait(forState: .serviceNotRunning)
            await #expect(throws: BluejayError.bluetoothUnavailable(.serviceNotRunning)) {
                try await central.setPowered(true)
            }
        }
    }

    @Test(
        "A pending setPowered fails if bluetoothd dies or the adapter is unplugged",
        .enabled(if: !isRealBlueZ, "the real bluetoothd replies immediately"),
        arguments: [true, false]
    )
    func goneMeanwhile(daemon: Bool) async throws {
        try await withTestbed(variant: "\(daemon)", isRecorded: false) { context in
            let central = await context.availableCentral(adapter: "hci0")
            try await context.testbed.setPowered(false)
            await central.wait(for: "available false")
            try await context.simulate { $0.apply(.callsHeld("Set")) }
            await central.run { $0.bluejay.setPowered(true, completion: $0.ended("on")) }
            await central.forget()
            if daemon {
                try await context.testbed.endDaemon(politely: false)
            } else {
                try await context.simulate { $0.apply(.adapterUnplugged(0)) }
            }
            await central.wait(for: "on bluetoothUnavailable")
            if !daemon { try await context.simulate { $0.apply(.callsReleased("Set")) } }
            #expect(await central.record(of: "on").count == 1)
        }
    }

    @Test(
        "Two simultaneous setPowered calls each complete when their state is reached",
        .enabled(if: !isRealBlueZ, "the real bluetoothd does not show when it is busy")
    )
    func atOnce() async throws {
        try await withTestbed(isRecorded: false) { context in
            let first = await context.availableCentral(adapter: "hci0")
            let second = await context.central(adapter: "hci0", sharing: first)
            await second.wait(for: "available true")
            await first.run { first in
                first.bluejay.setPowered(false, completion: first.ended("A off"))
                second.bluejay.setPowered(false, completion: first.ended("B off"))
            }
            await first.wait(for: "A off")
            await first.wait(for: "B off")
            #expect(await first.record(of: "A") == ["A off ok"])
            #expect(await first.record(of: "B") == ["B off ok"])
            await first.forget()
            await first.run { first in
                first.bluejay.setPowered(true, completion: first.ended("A on"))
                // The opposite request runs after the first.
                second.bluejay.setPowered(false, completion: first.ended("B off"))
            }
            await first.wait(for: "B off")
            await first.wait(for: "A on")
            #expect(await first.record(of: "A") == ["A on ok"])
            #expect(await first.record(of: "B") == ["B off ok"])
            await second.wait(forState: .poweredOff)
        }
    }
}

/// The result of each call when it cannot succeed.
@Suite("Rejected adapter calls", .timeLimit(.minutes(15)))
struct AdapterRefusalTests {
    @Test("Adapter calls before start fail asynchronously", arguments: AdapterCall.allCases)
    func beforeStart(call: AdapterCall) async throws {
        try await withTestbed(variant: call.rawValue, isRecorded: false) { context in
            let central = await RecordingCentral.stopped(context.testbed.busAddress)
            await central.run { central in
                call.make(central, as: "call")
                central.recordEvent("called")
            }
            await central.wait(for: "call ")
            await central.expect(["called", "call bluetoothUnavailable"])
        }
    }

    @Test(
        "A completion that repeats an adapter call is completed each time",
        arguments: AdapterCall.allCases
    )
    func again(call: AdapterCall) async throws {
        try await withTestbed(variant: call.rawValue, isRecorded: false) { context in
            let central = await context.availableCentral(adapter: "hci0")
            await central.run { repeated(call, $0, 20) }
            await central.wait(for: "last")
            let record = await central.record()
            let end = "call \(call.usualEnd)"
            #expect(record == Array(repeating: end, count: 20) + ["last"])
            await central.run { $0.bluejay.setAdapterAlias("") }
        }
    }

    @Test(
        "Releasing or stopping an instance completes its pending adapter call once",
        arguments: AdapterCall.allCases,
        Departure.allCases
    )
    func ended(call: AdapterCall, by departure: Departure) async throws {
        try await withTestbed(variant: "\(call.rawValue) \(departure)", isRecorded: false) {
            context in
            let witness = await context.availableCentral(adapter: "hci0")
            let busAddress = context.testbed.busAddress
            let loop = witness.loop
            await witness.run { witness in
                var bluejay: Bluejay? = Bluejay(mainLoop: loop, busAddress: busAddress)
                bluejay?.start()
                let completion: @Sendable (String) -> Void = { witness.recordEvent("call \($0)") }
                if let bluejay { call.make(bluejay, completion) }
                switch departure {
                case .released: break
                case .stopped:
                    witness.retainedObjects.append(bluejay ?? witness)
                    bluejay?.stopAndExtractBluetoothState()
                case .stoppedAndReleased:
                    // The read fails on a later iteration, and the call under test completes after it.
                    bluejay?.read(from: location) { (_: ReadResult<Data>) in }
                    bluejay?.stopAndExtractBluetoothState()
                }
                bluejay = nil
                witness.recordEvent("gone")
            }
            await witness.wait(for: "call")
            // bluetoothd has answered all earlier requests by now.
            _ = try await witness.listAdapters()
            let record = await witness.record(of: "call")
            let expected = departure == .released ? "cancelled" : "stopped"
            #expect([["call \(expected)"], ["call \(call.usualEnd)"]].contains(record))
            await witness.run { $0.bluejay.setAdapterAlias("") }
        }
    }

    @Test("Adapter calls inside a background task are rejected", arguments: AdapterCall.allCases)
    func insideTask(call: AdapterCall) async throws {
        try await withTestbed(variant: call.rawValue, isRecorded: false) { context in
            let connected = try await context.connected(to: .gadget([]))
            let central = connected.central
            await central.forget()
            await central.run { central in
                central.recordTask("task") { _ in call.make(central, as: "call") }
            }
            await central.wait(for: "task ok")
            await central.wait(for: "call")
            #expect(await central.record(of: "call") == ["call backgroundTaskRunning"])
        }
    }
}

private func repeated(_ call: AdapterCall, _ central: RecordingCentral, _ count: Int) {
    guard count > 0 else { return central.recordEvent("last") }
    call.make(central, as: "call") { repeated(call, central, count - 1) }
}
