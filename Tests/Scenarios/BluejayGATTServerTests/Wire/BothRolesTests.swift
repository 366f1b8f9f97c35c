import Bluejay
import BluejayAsync
import BluejaySimulator
import Testing

@testable import BluejayGATTServer

@Suite("A program that is central and peripheral at once", .timeLimit(.minutes(15)))
struct BothRolesTests {
    static func advertise(_ roles: BothRoles) async throws {
        try await roles.call { roles, done in
            roles.server.startAdvertising(
                LocalAdvertisement(serviceUUIDs: [BothRoles.service]),
                completion: done
            )
        }
    }

    @Test(
        "A server lists the devices connected to it as centrals, but not its program's peripherals"
    )
    func both() async throws {
        try await BothRoles.with { roles in
            await roles.run { roles in
                roles.server.onCentralChange = { [weak roles] change in
                    if case .left(let central) = change {
                        roles?.note("\(central.address ?? "") left")
                    }
                }
            }
            await roles.system.perform { $0.add(.heartRateSensor()) }
            try await Self.advertise(roles)
            let sensor = SimulatedDevice.HeartRateSensor.address
            try await roles.connect(0, to: sensor, isRandom: true)
            #expect(roles.server.connectedDevices.map(\.address) == [sensor])
            #expect(roles.server.centrals.isEmpty)
            try await roles.connect(1, to: BothRoles.hci0, isRandom: false)
            #expect(roles.server.connectedDevices.map(\.address) == [sensor, BothRoles.hci1])
            #expect(roles.server.centrals.map(\.address) == [BothRoles.hci1])
            try await roles.centrals[1].disconnect()
            await roles.wait(for: "\(BothRoles.hci1) left")
            #expect(roles.server.connectedDevices.map(\.address) == [sensor])
            #expect(roles.server.centrals.isEmpty)
            try await roles.centrals[0].disconnect()
        }
    }

    @Test("A peripheral of this program that reads from its server also counts as a central")
    func mutual() async throws {
        try await BothRoles.with { roles in
            // The two adapters know each other: hci0 connects to hci1, which then sends requests to hci0.
            let second = GATTServer(
                mainLoop: roles.loop,
                adapter: "hci1",
                busAddress: roles.system.busAddress
            )
            await roles.run { _ in second.start() }
            try await roles.call { _, done in
                second.startAdvertising(
                    LocalAdvertisement(serviceUUIDs: [BothRoles.service]),
                    completion: done
                )
            }
            try await roles.connect(0, to: BothRoles.hci1, isRandom: false)
            #expect(roles.server.centrals.isEmpty)
            #expect(second.centrals.map(\.address) == [BothRoles.hci0])
            try await roles.connect(1, to: BothRoles.hci0, isRandom: false)
            let value: UInt8 = try await roles.centrals[1].read(
                from: CharacteristicIdentifier(
                    uuid: BluetoothUUID(uint16: 0x2A38),
                    service: ServiceIdentifier(uuid: BothRoles.service)
                )
            )
            #expect(value == 1)
            #expect(roles.server.centrals.map(\.address) == [BothRoles.hci1])
            // `second` joins the existing link, which hci0 opened.
            #expect(second.centrals.map(\.address) == [BothRoles.hci0])
            await roles.run { _ in second.stop() }
        }
    }
}
