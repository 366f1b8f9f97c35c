import Bluejay
import BluejayAsync
import BluejaySimulator
import TestTraits
import Testing

@testable import BluejayGATTServer

@Suite("Advertising that continues after connections", .timeLimit(.minutes(15)))
struct KeepsAdvertisingTests {
    static let content = LocalAdvertisement(serviceUUIDs: [BothRoles.service])

    static func with(
        controller: SimulatedController,
        instances: Int = 5,
        _ body: (BothRoles) async throws -> Void
    ) async throws {
        try await BothRoles.with(
            { options in
                options.adapters = 4
                options.controller = controller
                options.advertisingInstances = instances
            },
            body
        )
    }

    @Test(
        "Every controller lets a third central find the server, even with a single advertising set",
        arguments: [SimulatedController.legacy, .extended],
        [5, 1]
    )
    func third(controller: SimulatedController, instances: Int) async throws {
        try await Self.with(controller: controller, instances: instances) { roles in
            try await roles.call { $0.server.startAdvertising(Self.content, completion: $1) }
            for central in 1...3 {
                try await roles.connect(central, to: BothRoles.hci0, isRandom: false)
            }
            #expect(roles.server.centrals.count == 3)
            for central in 1...3 { try await roles.centrals[central].disconnect() }
            for central in 1...3 {
                try await roles.connect(central, to: BothRoles.hci0, isRandom: false)
            }
            await roles.run { roles in roles.server.stopAdvertising { roles.note("ended") } }
            await roles.wait(for: "ended")
            #expect(!roles.server.isAdvertising)
        }
    }

    @Test("Without keepsAdvertising, only one central finds the server")
    func saysNo() async throws {
        try await Self.with(controller: .extended) { roles in
            try await roles.call { roles, done in
                var content = Self.content
                content.keepsAdvertising = false
                roles.server.startAdvertising(content, completion: done)
            }
            try await roles.connect(1, to: BothRoles.hci0, isRandom: false)
            #expect(roles.server.isAdvertising)
            await #expect(throws: BluejayError.self) {
                try await roles.connect(2, to: BothRoles.hci0, isRandom: false, within: 3)
            }
            // Advertising again makes room for the next central.
            await roles.run { $0.server.stopAdvertising() }
            try await roles.call { $0.server.startAdvertising(Self.content, completion: $1) }
            try await roles.connect(2, to: BothRoles.hci0, isRandom: false)
        }
    }

    @Test("Only a central's connection renews the advertisements")
    func ownLink() async throws {
        try await Self.with(controller: .extended) { roles in
            await roles.system.perform { $0.add(.heartRateSensor()) }
            let watch = try await AdvertisingWatch(roles.system.busAddress)
            // A central judges connectability by the advertisement received last, so start with the beacon.
            try await roles.call { roles, done in
                let beacon = LocalAdvertisement(localName: "beacon", isConnectable: false)
                roles.server.advertise(beacon, completion: done)
            }
            try await roles.call { $0.server.startAdvertising(Self.content, completion: $1) }
            try await roles.call { roles, done in
                roles.server.advertise(LocalAdvertisement(localName: "two"), completion: done)
            }
            await watch.wait(begun: 3, active: 3)
            let sensor = SimulatedDevice.HeartRateSensor.address
            try await roles.connect(0, to: sensor, isRandom: true)
            #expect(await watch.counts() == [3, 3])
            try await roles.connect(1, to: BothRoles.hci0, isRandom: false)
            // The two connectable advertisements are registered again.
            await watch.wait(begun: 5, active: 3)
            try await roles.connect(2, to: BothRoles.hci0, isRandom: false)
            await watch.wait(begun: 7, active: 3)
            await watch.close()
        }
    }

    @Test("A controller that resumes advertising needs no renewal")
    func legacy() async throws {
        try await Self.with(controller: .legacy) { roles in
            let watch = try await AdvertisingWatch(roles.system.busAddress)
            try await roles.call { $0.server.startAdvertising(Self.content, completion: $1) }
            try await roles.connect(1, to: BothRoles.hci0, isRandom: false)
            try await roles.connect(2, to: BothRoles.hci0, isRandom: false)
            #expect(await watch.counts() == [1, 1])
            await watch.close()
        }
    }

    @Test("Advertising resumes if bluetoothd is killed during a renewal")
    func killed() async throws {
        try await Self.with(controller: .extended) { roles in
            try await roles.call { $0.server.startAdvertising(Self.content, completion: $1) }
            try await roles.connect(1, to: BothRoles.hci0, isRandom: false)
            await roles.system.killDaemon()
            var options = SimulatorOptions()
            options.timeScale = 0.1
            options.controller = .extended
            try await roles.system.startDaemon(options)
            for central in 2...3 {
                try await roles.centrals[central].waitUntilReady()
                try await roles.connect(central, to: BothRoles.hci0, isRandom: false)
            }
            #expect(roles.server.centrals.count >= 2)
        }
    }

    @Test(
        "Advertising resumes if the adapter is powered off during a renewal",
        .fault(.bluetoothOff, during: .advertising)
    )
    func off() async throws {
        try await Self.with(controller: .extended) { roles in
            try await roles.call { $0.server.startAdvertising(Self.content, completion: $1) }
            await roles.run { roles in
                roles.server.onCentralChange = { [weak roles] change in
                    guard case .came = change else { return }
                    roles?.note("came")
                }
                roles.server.onStateChange = { [weak roles] in roles?.note("\($0)") }
            }
            try await roles.connect(1, to: BothRoles.hci0, isRandom: false)
            await roles.wait(for: "came")
            await roles.system.perform { $0.setPowered(false, ofAdapter: 0) }
            await roles.wait(for: "\(BluetoothState.poweredOff)")
            await roles.system.perform { $0.setPowered(true, ofAdapter: 0) }
            await roles.wait(for: "\(BluetoothState.poweredOn)")
            for central in 2...3 {
                try await roles.connect(central, to: BothRoles.hci0, isRandom: false)
            }
            #expect(roles.server.centrals.count >= 2)
        }
    }

    @Test("The transmit power is requested only if the controller can set it")
    func power() async throws {
        for (controller, power) in [(SimulatedController.legacy, 7), (.extended, -20)] {
            try await Self.with(controller: controller) { roles in
                try await roles.call { roles, done in
                    roles.server.startAdvertising(
                        LocalAdvertisement(
                            serviceUUIDs: [BothRoles.service],
                            includesTxPower: true,
                            txPower: -20
                        ),
                        completion: done
                    )
                }
                #expect(await roles.run { $0.server.canSetTxPower } == (controller == .extended))
                let service = ServiceIdentifier(uuid: BothRoles.service)
                let scan = roles.centrals[1].scan(duration: 60, serviceIdentifiers: [service])
                for try await found in scan {
                    #expect(found.advertisement.txPower == power)
                    break
                }
            }
        }
    }
}
