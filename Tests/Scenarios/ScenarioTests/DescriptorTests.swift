import Bluejay
import BluejaySimulator
import Foundation
import Staging
import TestSupport
import TestTraits
import Testing

/// The location has a writable text and a read-only format.
private let described = PeripheralScript.gadget([
    ScriptedCharacteristic("2A37", ["notify"], .value([])),
    ScriptedCharacteristic(
        "2A38",
        ["read", "writable-auxiliaries"],
        .value([1]),
        descriptors: [
            ("2901", Array("Wrist".utf8)), ("2904", [0x04, 0, 0x00, 0x27, 1, 0, 0]),
        ]
    ),
])

private let text = DescriptorIdentifier.userDescription(of: location)
private let format = DescriptorIdentifier.presentationFormat(of: location)
private let configuration = DescriptorIdentifier(uuid: "2902", characteristic: measurement)

@Suite("Descriptors", .timeLimit(.minutes(15)))
struct DescriptorTests {
    @Test("The user description and the presentation format are read from the descriptors")
    func read() async throws {
        try await withTestbed { context in
            let central = try await context.connected(to: described).central
            #expect(try await central.value(of: text, as: String.self) == "Wrist")
            #expect(
                try await central.value(of: format, as: PresentationFormat.self)
                    == PresentationFormat(format: .uint8)
            )
            let all = await central.services().flatMap(\.characteristics)
            let own = try #require(all.first { $0.identifier == location })
            #expect(own.descriptors.map(\.uuidString) == ["2900", "2901", "2904"])
            #expect(own.descriptorIdentifiers.suffix(2) == [text, format])
        }
    }

    @Test(
        "Writing a descriptor succeeds where the peripheral permits it, and otherwise names the ATT error"
    )
    func write() async throws {
        try await withTestbed { context in
            let central = try await context.connected(to: described).central
            try await central.write(Data("Chest".utf8), to: text)
            #expect(try await central.value(of: text, as: String.self) == "Chest")
            let error = await #expect(throws: BluejayError.self) {
                try await central.write(Data([1]), to: format)
            }
            #expect(error == .attribute(.writeNotPermitted))
            #expect(error?.descriptor == format)
            #expect(
                error?.localizedDescription.hasPrefix("write to 2904 of 2A38 of Gadget") == true
            )
            #expect(try await central.value(of: location, as: UInt8.self) == 1)
        }
    }

    @Test("Descriptor calls take their turn in the queue")
    func order() async throws {
        try await withTestbed { context in
            let central = try await context.connected(to: described).central
            await central.forget()
            await central.run { central in
                central.noteRead("text", of: text)
                central.recordRead("location")
                central.noteWrite("write", 0x41, to: text)
                central.noteRead("new text", of: text)
            }
            await central.settle()
            await central.expect(["text 57 72 69 73 74", "location 01", "write ok", "new text 41"])
        }
    }

    @Test(
        "Descriptor 2902 reports whether notifications are on, and writing it fails with the alternative",
        .pitfall(.configurationDescriptor)
    )
    func configurationIsNotWritten() async throws {
        try await withTestbed { context in
            let central = try await context.connected(to: described).central
            await central.listen(measurement)
            await central.settle()
            #expect(try await central.value(of: configuration, as: UInt16.self) == 1)
            let error = await #expect(throws: BluejayError.self) {
                try await central.write(Data([0, 0]), to: configuration)
            }
            #expect(error?.localizedDescription.contains("use listen(to:)") == true)
            #expect(await central.isListening(to: measurement) == true)
        }
    }

    @Test(
        "Reading or writing a missing descriptor fails with an error that names the missing attribute"
    )
    func missing() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = try await context.connected(to: described).central
            func fails(_ descriptor: DescriptorIdentifier, _ error: BluejayError) async {
                await #expect(throws: error) {
                    try await central.value(of: descriptor, as: Data.self)
                }
                await #expect(throws: error) { try await central.write(Data(), to: descriptor) }
            }
            let none = DescriptorIdentifier.userDescription(of: measurement)
            await fails(none, .missingDescriptor(none))
            let second = DescriptorIdentifier.presentationFormat(of: location, instance: 1)
            await fails(second, .missingDescriptor(second))
            await fails(.userDescription(of: controlPoint), .missingCharacteristic(controlPoint))
            await fails(.userDescription(of: .batteryLevel), .missingService(.battery))
            let malformed = DescriptorIdentifier(uuid: "text", characteristic: location)
            await fails(malformed, .malformedUUID("text"))
            await #expect(throws: BluejayError.valueTooLong(length: 513, limit: 512)) {
                try await central.write(Data(count: 513), to: text)
            }
        }
    }

    @Test("Background tasks read and write descriptors")
    func task() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = try await context.connected(to: described).central
            let read = try await central.task { peripheral in
                try peripheral.write(to: text, value: "Arm")
                let format = try peripheral.read(from: format, as: PresentationFormat.self)
                return (try peripheral.read(from: text, as: String.self), format.format)
            }
            #expect(read == ("Arm", .uint8))
            await #expect(throws: BluejayError.missingDescriptor(.userDescription(of: measurement)))
            {
                try await central.task {
                    try $0.read(from: .userDescription(of: measurement), as: String.self)
                }
            }
        }
    }
}

@Suite("Failures of descriptor calls", .timeLimit(.minutes(15)), .enabled(if: !isRealBlueZ))
struct DescriptorTroubleTests {
    @Test("Each descriptor call fails once when disconnected, before start and with Bluetooth off")
    func unavailable() async throws {
        try await withTestbed(isRecorded: false) { context in
            let stopped = await RecordingCentral.stopped(context.testbed.busAddress)
            let central = await context.availableCentral(adapter: "hci0")
            for one in [stopped, central] {
                await one.run { central in
                    central.noteRead("read", of: text)
                    central.noteWrite("write", 1, to: text)
                    central.noteWrite("configuration", 1, to: configuration)
                }
                await one.wait(for: "configuration")
            }
            await stopped.expect([
                "read bluetoothUnavailable", "write bluetoothUnavailable",
                "configuration bluetoothUnavailable",
            ])
            await central.expect([
                "read notConnected", "write notConnected", "configuration notSupported",
            ])
            await central.forget()
            try await context.testbed.setPowered(false)
            await central.wait(for: "available false")
            await central.forget()
            await central.run { $0.noteRead("read", of: text) }
            await central.wait(for: "read")
            await central.expect(["read bluetoothUnavailable"])
        }
    }

    @Test("A descriptor read without a reply ends with its timeout or with the link")
    func ends() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: described)
            let central = connected.central
            try await context.simulate { $0.apply(.callsHeld("ReadValue")) }
            await central.forget()
            await central.run { central in
                central.noteRead("timed", of: text, timeout: .seconds(0.05))
                central.noteRead("waiting", of: format)
            }
            await central.wait(for: "timed")
            await central.expect(["timed operationTimedOut"])
            try await connected.peripheral.dropLink()
            await central.wait(for: "disconnected")
            await central.expect([
                "timed operationTimedOut", "waiting notConnected", "disconnected Gadget",
            ])
            try await context.simulate { $0.apply(.callsReleased("ReadValue")) }
            try await central.connect(connected.identifier)
            #expect(try await central.value(of: text, as: String.self) == "Wrist")
        }
    }

    @Test(
        "Releasing an instance cancels its descriptor reads and leaves those of another instance alone"
    )
    func twoUsers() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: described)
            let first = connected.central
            var second: RecordingCentral? = await RecordingCentral(
                context.testbed.busAddress,
                adapter: "hci0",
                sharing: first.loop
            )
            try await second?.connect(connected.identifier)
            try await context.simulate { $0.apply(.callsHeld("ReadValue")) }
            await first.forget()
            await first.run { [second] first in
                first.noteRead("first", of: text)
                second?.bluejay.read(from: text) { [weak first] (result: ReadResult<String>) in
                    first?.recordEvent("second \(result.outcome)")
                }
                // Another instance's long read does not block another descriptor.
                second?.bluejay.read(from: format) { [weak first] (result: ReadResult<Data>) in
                    first?.recordEvent("other \(result.outcome)")
                }
            }
            second = nil
            await first.wait(for: "other")
            try await context.simulate { $0.apply(.callsReleased("ReadValue")) }
            await first.settle()
            await first.expect([
                "second cancelled", "other cancelled", "first 57 72 69 73 74",
            ])
        }
    }

    @Test("A completion can repeat a descriptor read a hundred times")
    func again() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = try await context.connected(to: described).central
            await central.forget()
            await central.run { central in
                func next(_ left: Int) {
                    guard left > 0 else { return central.recordEvent("done") }
                    central.bluejay.read(from: text) { (result: ReadResult<String>) in
                        guard case .success("Wrist") = result else {
                            return central.recordEvent("failed")
                        }
                        next(left - 1)
                    }
                }
                next(100)
            }
            await central.wait(for: "done")
            await central.expect(["done"])
        }
    }

    @Test("Removing the service fails a pending descriptor read")
    func goes() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: described)
            let central = connected.central
            try await context.simulate { $0.apply(.callsHeld("ReadValue")) }
            await central.forget()
            await central.run { $0.noteRead("read", of: text) }
            try await connected.peripheral.removeService("180D")
            await central.wait(for: "services changed")
            await central.wait(for: "read")
            await central.expect(["read missingDescriptor", "services changed -180D"])
        }
    }
}
