import Bluejay
import BluejaySimulator
import Foundation
import Staging
import TestSupport
import Testing

/// Makes a call fail and then follows the remedy in the error's text.
@Suite("The remedies in error texts", .timeLimit(.minutes(15)))
struct RemedyTests {
    private static let gadget = PeripheralScript.gadget([
        ScriptedCharacteristic("2A37", ["notify"], .value([])),
        ScriptedCharacteristic("2A38", ["read"], .value([7])),
    ])

    @Test("Remedy for a second scan: stopScanning() first")
    func scan() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = await context.availableCentral(adapter: "hci0")
            await central.run { central in
                central.recordScan("first")
                central.recordScan("second")
            }
            await central.wait(for: "second stopped multipleScanNotSupported")
            await central.run { central in
                central.bluejay.stopScanning()
                central.recordScan("third", discovery: { _, _ in .stop })
                central.bluejay.stopScanning()
            }
            await central.wait(for: "third")
            await central.expect([
                "second stopped multipleScanNotSupported", "first stopped ok",
                "third stopped ok",
            ])
        }
    }

    @Test("Remedy for a second connect: disconnect() first, also during a connection attempt")
    func connect() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: Self.gadget)
            let central = connected.central
            let identifier = connected.identifier
            await central.forget()
            await central.run { central in
                central.recordConnect("second", identifier)
                central.recordDisconnect("disconnect")
                central.recordConnect("third", identifier)
                central.recordConnect("fourth", identifier)
                central.bluejay.cancelEverything()
                central.recordConnect("fifth", identifier)
            }
            await central.wait(for: "fifth")
            await central.run { $0.recordConnect("sixth", identifier) }
            await central.wait(for: "sixth")
            let record = await central.record()
            #expect(
                record.filter { $0.hasSuffix("multipleConnectNotSupported") } == [
                    "second multipleConnectNotSupported", "fourth multipleConnectNotSupported",
                    "sixth multipleConnectNotSupported",
                ]
            )
            #expect(record.contains("third cancelled"))
        }
    }

    @Test("Remedy for a read after a disconnect or without a connection: connect() first")
    func read() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: Self.gadget)
            let central = connected.central
            let identifier = connected.identifier
            await central.forget()
            await central.run { central in
                central.recordDisconnect("disconnect")
                central.recordDisconnect("again")
                central.recordRead("queued")
                central.recordConnect("connect", identifier)
                central.recordRead("later")
            }
            await central.wait(for: "later")
            await central.run { central in
                central.recordDisconnect("second", immediate: true) { [weak central] in
                    central?.recordRead("alone")
                    central?.recordConnect("third", identifier) { [weak central] in
                        central?.recordRead("last")
                    }
                }
            }
            await central.wait(for: "last")
            let record = await central.record()
            let errors = ["again multiple", "queued disconnectQueued", "alone notConnected"]
            for error in errors { #expect(record.contains { $0.hasPrefix(error) }, "\(error)") }
            for value in ["later 07", "last 07"] { #expect(record.contains(value), "\(value)") }
        }
    }

    @Test("Remedy for a second listen: endListen() first, or make the first listen replaceable")
    func listen() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = try await context.connected(to: Self.gadget).central
            await central.forget()
            await central.run { central in
                central.recordListen("first")
                central.recordListen("second", option: .replaceable)
                central.recordEndListen("end")
                central.recordListen("third", option: .replaceable)
                central.recordListen("fourth")
            }
            await central.settle()
            await central.expect([
                "second multipleListenTrapped", "end ok", "third multipleListenReplaced",
            ])
        }
    }

    @Test("Remedy for a peripheral or an adapter in use: disconnect() first")
    func inUse() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: Self.gadget)
            let central = connected.central
            let identifier = connected.identifier
            await central.forget()
            await central.run { central in
                let forget: (String) -> Void = { name in
                    central.bluejay.forget(identifier) {
                        central.recordEvent("\(name) \($0.isSuccess)")
                    }
                }
                let choose: (String) -> Void = { name in
                    central.bluejay.useAdapter("hci0") {
                        central.recordEvent("\(name) \($0.isSuccess)")
                    }
                }
                forget("early")
                choose("early choice")
                central.recordScan("scan")
                central.recordDisconnect("disconnect", immediate: true) {
                    central.bluejay.stopScanning()
                    choose("choice")
                    forget("late")
                }
            }
            await central.wait(for: "late")
            let record = await central.record()
            #expect(record.contains("early choice false"))
            #expect(record.contains("choice true"))
            #expect(record.contains("late true"))
            #expect(!record.contains("early true"))
        }
    }

    @Test("Remedy for a lost link: wait for the reconnection, or connect if none follows")
    func linkLost() async throws {
        for reconnects in [true, false] {
            try await withTestbed(isRecorded: false) { context in
                let found = try await context.connected(to: Self.gadget, reconnects: reconnects)
                let central = found.central
                await central.forget()
                try await found.peripheral.dropLink()
                await central.wait(for: "disconnected Gadget")
                if reconnects {
                    await central.wait(for: "connected Gadget")
                } else {
                    try await central.connect(found.identifier)
                }
                #expect(await central.state(\.isConnected))
            }
        }
        let text = BluejayError.linkLost(.timeout).description
        #expect(text.hasSuffix("; wait for the reconnection, or call connect() if none follows"))
    }

    @Test(
        "Remedy for a peripheral that another adapter is connected to: use that adapter",
        .enabled(if: !isRealBlueZ, "the emulated radio provides one peripheral")
    )
    func otherAdapter() async throws {
        try await withTestbed(isRecorded: false) { context in
            let found = try await context.found(Self.gadget)
            let identifier = found.identifier
            try await context.testbed.freeSecondAdapter()
            try await found.central.connect(identifier)
            let second = await context.availableCentral(adapter: "hci1")
            let error = await #expect(throws: BluejayError.self) {
                try await second.connect(identifier, timeout: .seconds(2))
            }
            #expect(error == .connectionTimedOut)
            let text = "hci0 of this computer is connected to it; disconnect it there, or use hci0"
            #expect(error?.description.contains(text) == true)
            await second.run { central in
                central.bluejay.connect(
                    toFirst: .address(identifier.address ?? ""),
                    within: 2
                ) { result in
                    if case .failure(let error) = result { central.recordEvent("search \(error)") }
                }
            }
            await second.wait(for: "search")
            #expect(await second.record(of: "search").first?.contains(text) == true)
            await second.run { central in
                central.bluejay.useAdapter("hci0") { _ in central.recordEvent("chosen") }
            }
            await second.wait(for: "chosen")
            try await second.connect(identifier)
        }
    }
}

extension Result {
    fileprivate var isSuccess: Bool {
        if case .success = self { true } else { false }
    }
}
