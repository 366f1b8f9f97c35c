import Bluejay
import BluejaySimulator
import Foundation
import Staging
import TestTraits
import Testing

@Suite("Errors of a peripheral", .timeLimit(.minutes(15)))
struct PeripheralErrorTests {
    @Test(
        "An ATT error carries its code",
        .pitfall(.staleServiceCache, .attributeErrorsAreTexts),
        arguments: [0x01, 0x02, 0x08, 0x0D, 0x81, 0xFF] as [UInt8]
    )
    func attributeError(code: UInt8) async throws {
        try await withTestbed(variant: String(code, radix: 16)) { context in
            let connected = try await context.connected(
                to: .gadget([
                    ScriptedCharacteristic("2A38", ["read"], .refuses(code))
                ])
            )
            let central = connected.central
            let error = await #expect(throws: BluejayError.self) {
                try await central.value(of: location, as: UInt8.self)
            }
            #expect(error?.attError == ATTError(code: code))
            #expect(error == .attribute(ATTError(code: code)))
            #expect(error?.operation == .read)
            #expect(error?.characteristic == location)
            #expect(error?.peripheral == connected.identifier)
            #expect(error?.blueZName?.hasPrefix("org.bluez.Error.") == true)
            #expect(error?.blueZText?.isEmpty == false)
        }
    }

    @Test("A value of the wrong length fails the read")
    func wrongLength() async throws {
        try await withTestbed { context in
            let central = try await context.connected(
                to: .gadget([
                    ScriptedCharacteristic("2A38", ["read"], .value([1, 2, 3]))
                ])
            ).central
            await #expect(throws: BluejayError.dataOutOfBounds(start: 0, length: 1, count: 3)) {
                try await central.value(of: location, as: UInt8.self)
            }
            await #expect(throws: BluejayError.dataOutOfBounds(start: 0, length: 4, count: 3)) {
                try await central.value(of: location, as: UInt32.self)
            }
        }
    }

    @Test(
        "Values of 512 bytes can be written and read, and longer ones are rejected before sending",
        .pitfall(.longWrites)
    )
    func longValues() async throws {
        try await withTestbed { context in
            let central = try await context.connected(
                to: .gadget([
                    ScriptedCharacteristic("2A38", ["read", "write"], .value([]))
                ])
            ).central
            let longest = Data((0..<512).map { UInt8(truncatingIfNeeded: $0) })
            try await central.write(longest, to: location)
            #expect(try await central.value(of: location, as: Data.self) == longest)
            await #expect(throws: BluejayError.valueTooLong(length: 513, limit: 512)) {
                try await central.write(longest + [0], to: location)
            }
        }
    }

    @Test(
        "A write without response fails if the characteristic does not support it",
        .pitfall(.writeTypeUnchecked)
    )
    func withoutResponse() async throws {
        try await withTestbed { context in
            let central = try await context.connected(
                to: .gadget([
                    ScriptedCharacteristic("2A38", ["read", "write"], .value([])),
                    ScriptedCharacteristic("2A39", ["read", "write-without-response"], .value([])),
                ])
            ).central
            try await central.write(Data([7]), to: controlPoint, type: .withoutResponse)
            #expect(try await central.value(of: controlPoint, as: UInt8.self) == 7)
            await #expect(
                throws: BluejayError.notSupported(
                    "the characteristic supports writes with response only"
                )
            ) {
                try await central.write(Data([7]), to: location, type: .withoutResponse)
            }
        }
    }

    @Test("Errors name the missing service or characteristic")
    func missing() async throws {
        try await withTestbed { context in
            let central = try await context.connected(to: .gadget([])).central
            await #expect(throws: BluejayError.missingCharacteristic(location)) {
                try await central.value(of: location, as: UInt8.self)
            }
            let battery = ServiceIdentifier(uuid: "180F")
            await #expect(throws: BluejayError.missingService(battery)) {
                let level = CharacteristicIdentifier(uuid: "2A19", service: battery)
                _ = try await central.value(of: level, as: UInt8.self)
            }
        }
    }

    @Test("The first call with a malformed UUID fails")
    func malformed() async throws {
        try await withTestbed { context in
            let central = try await context.connected(to: .gadget([])).central
            let malformed = CharacteristicIdentifier(uuid: "heart", service: heartRateService)
            await #expect(throws: BluejayError.malformedUUID("heart")) {
                try await central.value(of: malformed, as: UInt8.self)
            }
            await #expect(throws: BluejayError.malformedUUID("no")) { try await central.find("no") }
        }
    }

    @Test(
        "A peripheral that never responds fails the read, and the link is lost",
        .fault(.silent, during: .read),
        .pitfall(.attributeTimeoutEndsLink)
    )
    func silent() async throws {
        try await withTestbed { context in
            let central = try await context.connected(
                to: .gadget([
                    ScriptedCharacteristic("2A38", ["read"], .neverReplies)
                ])
            ).central
            let error = await #expect(throws: BluejayError.self) {
                try await central.value(of: location, as: UInt8.self)
            }
            #expect(error == .attribute(.unlikelyError))
            await central.wait(for: "disconnected Gadget")
        }
    }
}
