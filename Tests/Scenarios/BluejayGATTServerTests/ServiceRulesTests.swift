import Bluejay
import Foundation
import Testing

@testable import BluejayGATTServer

@Suite("Validation of local services")
struct ServiceRulesTests {
    static let heartRate = BluetoothUUID(uint16: 0x2A37)

    static func service(
        _ uuid: BluetoothUUID = BluetoothUUID(uint16: 0x180D),
        characteristic: BluetoothUUID = heartRate,
        properties: AttributeProperties = .read,
        value: Data = Data(),
        descriptors: [LocalDescriptor] = []
    ) -> LocalService {
        let characteristic = LocalCharacteristic(
            uuid: characteristic,
            properties: properties,
            value: value,
            descriptors: descriptors
        )
        return LocalService(uuid: uuid, characteristics: [characteristic])
    }

    static func descriptor(
        _ number: UInt16,
        _ properties: AttributeProperties = .read,
        value: Data = Data()
    ) -> LocalDescriptor {
        LocalDescriptor(
            uuid: BluetoothUUID(uint16: number),
            properties: properties,
            value: value
        )
    }

    @Test("An ordinary service is valid")
    func ordinary() throws {
        try ServiceRules.check(
            Self.service(value: Data(count: 512), descriptors: [Self.descriptor(0x2901)])
        )
    }

    @Test(
        "Services that BlueZ provides itself are rejected",
        arguments: [0x1800, 0x1801] as [UInt16]
    )
    func reservedService(number: UInt16) {
        let uuid = BluetoothUUID(uint16: number)
        #expect(throws: BluejayError.reservedUUID(uuid)) {
            try ServiceRules.check(Self.service(uuid))
        }
    }

    @Test(
        "Descriptors that BlueZ derives from the properties are rejected",
        arguments: [0x2900, 0x2902] as [UInt16]
    )
    func reservedDescriptor(number: UInt16) {
        #expect(throws: BluejayError.reservedUUID(BluetoothUUID(uint16: number))) {
            try ServiceRules.check(Self.service(descriptors: [Self.descriptor(number)]))
        }
    }

    @Test("A malformed UUID is rejected in services, characteristics and descriptors")
    func malformed() {
        let bad = BluetoothUUID(string: "180")
        let error = BluejayError.malformedUUID("180")
        #expect(throws: error) { try ServiceRules.check(Self.service(bad)) }
        #expect(throws: error) { try ServiceRules.check(Self.service(characteristic: bad)) }
        let descriptor = LocalDescriptor(uuid: bad, value: Data())
        #expect(throws: error) {
            try ServiceRules.check(Self.service(descriptors: [descriptor]))
        }
    }

    @Test("Values of 513 bytes are rejected in characteristics and descriptors")
    func tooLong() throws {
        let value = Data(count: 513)
        let error = BluejayError.valueTooLong(length: 513, limit: 512)
        #expect(throws: error) { try ServiceRules.check(Self.service(value: value)) }
        #expect(throws: error) {
            try ServiceRules.check(
                Self.service(descriptors: [Self.descriptor(0x2901, value: value)])
            )
        }
        let characteristic = LocalCharacteristic(uuid: Self.heartRate, properties: .read)
        #expect(throws: error) { try characteristic.setValue(value) }
        #expect(characteristic.value == Data())
    }

    @Test("Missing, unknown and inapplicable properties are rejected")
    func properties() {
        #expect(throws: BluejayError.invalidProperties(Self.heartRate, "no properties given")) {
            try ServiceRules.check(Self.service(properties: []))
        }
        #expect(throws: BluejayError.invalidProperties(Self.heartRate, "unknown bits")) {
            let unknown = AttributeProperties(rawValue: 1 << 31 | 2)
            try ServiceRules.check(Self.service(properties: unknown))
        }
        let uuid = BluetoothUUID(uint16: 0x2901)
        let reason = "notify cannot be used on descriptors"
        #expect(throws: BluejayError.invalidProperties(uuid, reason)) {
            let descriptor = Self.descriptor(0x2901, [.read, .notify])
            try ServiceRules.check(Self.service(descriptors: [descriptor]))
        }
    }

    static let flags: [(AttributeProperties, [String])] = [
        (.read, ["read"]),
        ([.notify, .read], ["read", "notify"]),
        ([.write, .writeWithoutResponse], ["write-without-response", "write"]),
        (.broadcast, ["broadcast"]),
        (.indicate, ["indicate"]),
        (.authenticatedSignedWrites, ["authenticated-signed-writes"]),
        (.reliableWrite, ["reliable-write"]),
        (.writableAuxiliaries, ["writable-auxiliaries"]),
        (.encryptRead, ["encrypt-read"]),
        (.encryptWrite, ["encrypt-write"]),
        (.encryptNotify, ["encrypt-notify"]),
        (.encryptIndicate, ["encrypt-indicate"]),
        (.encryptAuthenticatedRead, ["encrypt-authenticated-read"]),
        (.encryptAuthenticatedWrite, ["encrypt-authenticated-write"]),
        (.encryptAuthenticatedNotify, ["encrypt-authenticated-notify"]),
        (.encryptAuthenticatedIndicate, ["encrypt-authenticated-indicate"]),
        (.secureRead, ["secure-read"]),
        (.secureWrite, ["secure-write"]),
        (.secureNotify, ["secure-notify"]),
        (.secureIndicate, ["secure-indicate"]),
        (.authorize, ["authorize"]),
        ([], []),
    ]

    @Test("Properties map to BlueZ's flags", arguments: flags)
    func words(properties: AttributeProperties, words: [String]) {
        #expect(properties.flags == words)
        #expect(AttributeProperties.local.isSuperset(of: properties))
    }
}
