import Bluejay
import BluejaySimulator
import Foundation
import Staging
import TestSupport
import TestTraits
import Testing

@Suite("Adapters of the computer", .timeLimit(.minutes(15)))
struct AdapterTests {
    @Test("An adapter reports its properties, and the instance reports the adapter in use")
    func list() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = await context.availableCentral(adapter: "hci0")
            let adapter = try #require(try await central.listAdapters().first)
            #expect(adapter.name == "hci0")
            #expect(adapter.address == "00:AA:01:00:00:00")
            #expect(!adapter.isRandomAddress)
            #expect(adapter.alias.hasPrefix("BlueZ 5."))
            #expect(adapter.isPowered)
            #expect(!adapter.isBlocked)
            #expect(adapter.isDiscoveringForOtherPrograms == false)
            #expect(adapter.bluezVersion.map { $0 >= BlueZVersion(5, 55) } == true)
            #expect(adapter.features.isSuperset(of: [.central, .peripheral, .advertising]))
            #expect(await central.read { $0.bluejay.adapter } == adapter)
            #expect(central.bluejay.adapter == adapter)
            #expect(central.bluejay.adapters.first == adapter)
        }
    }

    @Test("A list requested right after start waits for bluetoothd", .pitfall(.startOrder))
    func early() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = await RecordingCentral.stopped(context.testbed.busAddress)
            #expect(central.bluejay.adapters == [])
            await central.run { central in
                central.bluejay.start()
                for call in AdapterCall.allCases { call.make(central, as: call.rawValue) }
                central.recordEvent("called")
            }
            await central.wait(for: "forget")
            await central.wait(for: "power")
            await central.wait(for: "alias")
            let record = await central.record()
            #expect(record.first == "called")
            for call in AdapterCall.allCases {
                let ends = record.filter { $0.hasPrefix(call.rawValue + " ") }
                #expect(ends == ["\(call.rawValue) \(call.usualEnd)"])
            }
            _ = try await central.end { (bluejay, done) in
                bluejay.setAdapterAlias("", completion: done)
            }
        }
    }

    @Test("Adapter observers first receive the present adapters, then every change")
    func events() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = await context.availableCentral(adapter: "hci0")
            await central.watchAdapters()
            #expect(await central.record(of: "watch").contains("watch appeared hci0 on"))
            #expect(await central.record().last == "watch uses hci0")
            await central.forget()
            try await context.testbed.setPowered(false)
            await central.wait(for: "watch changed hci0 on to hci0 off")
            try await context.testbed.setPowered(true)
            await central.wait(for: "watch changed hci0 off to hci0 on")
            try await context.testbed.unplug()
            await central.wait(for: "watch vanished hci0")
            await central.wait(for: "watch uses none")
            #expect(central.bluejay.adapter == nil)
            #expect(await central.read { $0.bluejay.adapters.filter { $0.name == "hci0" } } == [])
            await central.forget()
            try await context.testbed.plug()
            await central.wait(for: "watch appeared hci0")
            await central.wait(for: "watch uses hci0")
        }
    }

    @Test("The adapters vanish with bluetoothd and appear again with its successor")
    func daemon() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = await context.availableCentral(adapter: "hci0")
            await central.watchAdapters()
            await central.forget()
            try await context.testbed.endDaemon(politely: false)
            await central.wait(for: "watch uses none")
            #expect(await central.record(of: "watch vanished hci0").count == 1)
            await central.wait(forState: .serviceNotRunning)
            await #expect(throws: BluejayError.bluetoothUnavailable(.serviceNotRunning)) {
                try await central.listAdapters()
            }
            await central.forget()
            try await context.testbed.startDaemon()
            await central.wait(for: "watch appeared hci0")
            await central.wait(for: "watch uses hci0")
        }
    }

    @Test("Adapter observers are notified in order, and not after removal or release")
    func observers() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = await context.availableCentral(adapter: "hci0")
            let first = await central.watchAdapters(as: "first")
            await central.watchAdapters(as: "second")
            await central.run { central in
                central.bluejay.register(adapterObserver: AdapterWatch(central, as: "released"))
                // It receives nothing from the next event on.
                first.also = { _ in central.bluejay.unregister(adapterObserver: first) }
            }
            await central.forget()
            _ = try await central.setPowered(false)
            #expect(
                await central.record() == [
                    "first changed hci0 on to hci0 off", "second changed hci0 on to hci0 off",
                    "available false",
                ]
            )
            await central.forget()
            _ = try await central.setPowered(true)
            #expect(
                await central.record() == ["second changed hci0 off to hci0 on", "available true"]
            )
        }
    }

    @Test(
        "All programs see an adapter's new alias, and an empty alias restores the computer's name"
    )
    func alias() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = await context.availableCentral(adapter: "hci0")
            let other = await context.availableCentral(adapter: "hci0")
            await other.watchAdapters()
            let named: BluetoothAdapter = try await central.end {
                $0.setAdapterAlias("Büro", of: "00:aa:01:00:00:00", completion: $1)
            }
            #expect(named.alias == "Büro")
            #expect(central.bluejay.adapter?.alias == "Büro")
            await other.wait(for: "watch changed hci0 on to hci0 \"Büro\" on")
            let unnamed: BluetoothAdapter = try await central.end {
                $0.setAdapterAlias("", completion: $1)
            }
            #expect(unnamed.alias != "Büro")
            await #expect(throws: BluejayError.nameTooLong(length: 249, limit: 248)) {
                let long = String(repeating: "a", count: 249)
                let _: BluetoothAdapter = try await central.end {
                    $0.setAdapterAlias(long, completion: $1)
                }
            }
            await #expect(throws: BluejayError.notSupported("a name that holds a NUL character")) {
                let _: BluetoothAdapter = try await central.end {
                    $0.setAdapterAlias("a\0b", completion: $1)
                }
            }
        }
    }

    @Test("An adapter reports discovery by other programs while this program does not discover")
    func discovery() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = await context.availableCentral(adapter: "hci0")
            let other = await context.availableCentral(adapter: "hci0")
            await central.watchAdapters()
            await other.watchAdapters()
            await other.run { $0.recordScan("scan") }
            await central.wait(for: "watch changed hci0 on to hci0 on discovering")
            #expect(
                await central.read { $0.bluejay.adapter?.isDiscoveringForOtherPrograms } == true
            )
            await other.wait(for: "watch changed hci0 on to hci0 on discovering")
            #expect(await other.read { $0.bluejay.adapter?.isDiscoveringForOtherPrograms == nil })
            await other.run { $0.bluejay.stopScanning() }
            await central.wait(for: "watch changed hci0 on discovering to hci0 on")
            #expect(
                await central.read { $0.bluejay.adapter?.isDiscoveringForOtherPrograms } == false
            )
        }
    }
}
