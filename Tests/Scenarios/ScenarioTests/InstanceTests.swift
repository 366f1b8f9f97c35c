import Bluejay
import BluejaySimulator
import Foundation
import Staging
import TestSupport
import Testing

private func report(_ instance: Int) -> CharacteristicIdentifier {
    CharacteristicIdentifier(uuid: "2A4D", service: heartRateService, instance: instance)
}

private let other = ServiceIdentifier(uuid: "FFE0")
private let otherAgain = ServiceIdentifier(uuid: "FFE0", instance: 1)

/// Two reports with one UUID, and two services with one UUID, of which the first includes the second.
private let twins: PeripheralScript = {
    var script = PeripheralScript.gadget([
        ScriptedCharacteristic("2A4D", ["read", "write", "notify"], .echoes([1])),
        ScriptedCharacteristic(
            "2A4D",
            ["read", "write", "notify"],
            .echoes([2]),
            descriptors: [("2908", [2, 1])]
        ),
    ])
    script.services.insert(
        PeripheralScript.Service("FFE0", [ScriptedCharacteristic("FFE1", ["read"], .value([3]))]),
        at: 0
    )
    script.services[1].included = ["FFE0"]
    var last = PeripheralScript.Service(
        "FFE0",
        [ScriptedCharacteristic("FFE1", ["read"], .value([4]))]
    )
    last.isPrimary = false
    script.services.append(last)
    return script
}()

/// Tests `ConnectedLink`.
@Suite("Characteristics and services with the same UUID", .timeLimit(.minutes(15)))
struct InstanceTests {
    @Test("Each instance is read and written separately, and the first one is the default")
    func readAndWrite() async throws {
        try await withTestbed { context in
            let central = try await context.connected(to: twins).central
            #expect(try await central.value(of: report(0), as: UInt8.self) == 1)
            #expect(try await central.value(of: report(1), as: UInt8.self) == 2)
            try await central.write(Data([9]), to: report(1))
            #expect(try await central.value(of: report(1), as: UInt8.self) == 9)
            let first = CharacteristicIdentifier(uuid: "2A4D", service: heartRateService)
            #expect(try await central.value(of: first, as: UInt8.self) == 1)
            let reference = DescriptorIdentifier(uuid: "2908", characteristic: report(1))
            #expect(try await central.value(of: reference, as: Data.self) == Data([2, 1]))
            for (service, value) in [(other, 3), (otherAgain, 4)] as [(ServiceIdentifier, UInt8)] {
                let one = CharacteristicIdentifier(uuid: "FFE1", service: service)
                #expect(try await central.value(of: one, as: UInt8.self) == value)
            }
        }
    }

    @Test(
        "Each listener receives values of one instance only, and ending one leaves the other alone"
    )
    func listen() async throws {
        try await withTestbed { context in
            let central = try await context.connected(to: twins).central
            await central.listen(report(0), as: "first")
            await central.listen(report(1), as: "second")
            await central.settle()
            await central.forget()
            try await central.write(Data([0x21]), to: report(1))
            await central.wait(for: "second 21")
            try await central.write(Data([0x11]), to: report(0))
            await central.wait(for: "first 11")
            try await central.endListen(report(0))
            #expect(await central.isListening(to: report(0)) == false)
            #expect(await central.isListening(to: report(1)) == true)
            try await central.write(Data([0x22]), to: report(1))
            await central.wait(for: "second 22")
            await central.expect(["second 21", "first 11", "second 22"])
        }
    }

    @Test("The services list their instances and included services")
    func services() async throws {
        try await withTestbed { context in
            let central = try await context.connected(to: twins).central
            // bluetoothd shows 1800 from 5.80 on.
            let services = await central.services().filter {
                !["1800", "1801"].contains($0.identifier.uuid.uuidString)
            }
            #expect(services.map(\.identifier) == [other, heartRateService, otherAgain])
            #expect(services.map(\.isPrimary) == [true, true, false])
            #expect(services.map(\.includedServices) == [[], [other], []])
            let identifiers = services.map { $0.characteristics.map(\.identifier) }
            #expect(identifiers[1] == [report(0), report(1)])
            #expect(identifiers[2].map(\.description) == ["FFE1 of service FFE0 instance 1"])
        }
    }

    @Test("A missing instance fails with an error that names the instance")
    func outOfRange() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = try await context.connected(to: twins).central
            for instance in [2, -1, .max] {
                let error = await #expect(
                    throws: BluejayError.missingCharacteristic(report(instance))
                ) {
                    try await central.value(of: report(instance), as: UInt8.self)
                }
                #expect(
                    error?.localizedDescription.contains(
                        "no characteristic 2A4D instance \(instance) of service 180D"
                    ) == true
                )
                await #expect(throws: BluejayError.missingCharacteristic(report(instance))) {
                    try await central.write(Data([1]), to: report(instance))
                }
            }
            let third = ServiceIdentifier(uuid: "FFE0", instance: 2)
            await #expect(throws: BluejayError.missingService(third)) {
                let one = CharacteristicIdentifier(uuid: "FFE1", service: third)
                return try await central.value(of: one, as: UInt8.self)
            }
            await central.forget()
            await central.run { $0.recordListen("listen", to: report(2)) }
            await central.wait(for: "listen")
            await central.expect(["listen missingCharacteristic"])
        }
    }

    @Test("After a reconnection, a kept listen of the second instance still receives its values")
    func kept() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: twins, reconnects: true)
            let central = connected.central
            await central.run { $0.recordListen("second", to: report(1), isKept: true) }
            await central.settle()
            await central.forget()
            try await connected.peripheral.dropLink()
            await central.wait(for: "connected Gadget")
            try await central.write(Data([0x11]), to: report(0))
            try await central.write(Data([0x21]), to: report(1))
            await central.wait(for: "second 21")
            await central.expect(["disconnected Gadget", "connected Gadget", "second 21"])
        }
    }
}
