import Bluejay
import BluejaySimulator
import Foundation
import Staging
import TestSupport
import Testing

/// The end of an instance with a pending call.
enum Departure: CaseIterable {
    case released, stopped, stoppedAndReleased
}

@Suite("Switching an adapter on and off", .timeLimit(.minutes(15)))
struct AdapterPowerTests {
    @Test("It is done when Bluetooth can be used or cannot, and the observers have heard so")
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

    @Test("rfkill is an error that says what to do; what it lets is on again by itself")
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
        "Where bluetoothd has no state for it, rfkill is named all the same",
        .enabled(if: !isRealBlueZ, "the machine has one bluetoothd")
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

    @Test("An adapter that is not there, and a bluetoothd that is not, are errors")
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
        "A bluetoothd that dies, and an adapter that is pulled out, end the wait",
        .enabled(if: !isRealBlueZ, "the real bluetoothd answers at once"),
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
        "Of two who switch at once each is told when it is so",
        .enabled(if: !isRealBlueZ, "nobody can tell when the real one is busy")
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
@Suite("Calls of adapters that cannot be done", .timeLimit(.minutes(15)))
struct AdapterRefusalTests {
    @Test("Before the start each says so, in a later turn", arguments: AdapterCall.allCases)
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

    @Test("A completion that calls again gets an end each time", arguments: AdapterCall.allCases)
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
        "Who is released or stopped with a call pending hears of it once",
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

    @Test("Inside a background task each is refused", arguments: AdapterCall.allCases)
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
