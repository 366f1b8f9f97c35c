import Bluejay
import BluejayAsync
import BluejayGATTServer
import BluejaySimulator
import BluejayTesting
import Foundation

/// The errors of a server.
extension Rehearsal {
    static let reservedUUID = Rehearsal("omit it") { stage in
        let reserved = LocalService(uuid: BluetoothUUID(uint16: 0x1800), characteristics: [])
        try await stage.startServer().add(reserved)
    } remedy: { stage in
        try await stage.server.add(.bell())
    }

    static let invalidProperties = Rehearsal("no properties given") { stage in
        try await stage.startServer().add(.bell(properties: []))
    } remedy: { stage in
        try await stage.server.add(.bell(properties: .read))
    }

    static let sharedSubscription = Rehearsal("create it with subscriptions: .perCentral") {
        stage in
        try await stage.serve(.bell())
        try await stage.notifyPhone()
    } remedy: { stage in
        try await stage.server.remove(stage.service)
        try await stage.serve(.bell(subscriptions: .perCentral))
        try await stage.phones[0].subscribe(to: "FFE1")
        try await stage.sleep(1)
        try await stage.notifyPhone()
    }

    static let alreadyAdded = Rehearsal("remove its service first") { stage in
        try await stage.serve(.bell())
        try await stage.server.add(stage.service)
    } remedy: { stage in
        try await stage.server.remove(stage.service)
        try await stage.server.add(stage.service)
    }

    static let addedElsewhere = Rehearsal(
        "is published by another GATTServer; remove its service there first"
    ) { stage in
        try await stage.serve(.bell())
        let other = GATTServer(mainLoop: stage.world.mainLoop)
        stage.others.append(other)
        other.start()
        try await other.add(stage.service)
    } remedy: { stage in
        try await stage.server.remove(stage.service)
        try await (stage.others.last as? GATTServer)?.add(stage.service)
    }

    static let addedTwice = Rehearsal("create another LocalCharacteristic") { stage in
        let level = LocalCharacteristic(uuid: .level, properties: .read)
        try await stage.startServer().add(
            LocalService(uuid: .bell, characteristics: [level, level])
        )
    } remedy: { stage in
        let levels = (0..<2).map { _ in LocalCharacteristic(uuid: .level, properties: .read) }
        try await stage.server.add(LocalService(uuid: .bell, characteristics: levels))
    }

    static let notAdded = Rehearsal("add its service first") { stage in
        stage.service = .bell()
        try stage.startServer().notify(Data([1]), on: stage.level)
    } remedy: { stage in
        try await stage.server.add(stage.service)
        try stage.server.notify(Data([1]), on: stage.level)
    }

    static let removedService = Rehearsal("add its service first") { stage in
        stage.service = .bell()
        try await stage.startServer().remove(stage.service)
    } remedy: { stage in
        try await stage.server.add(stage.service)
        try await stage.server.remove(stage.service)
    }

    static let notSubscribable = Rehearsal("add the property notify or indicate") { stage in
        try await stage.serve(.bell(properties: .read))
        try stage.server.notify(Data([1]), on: stage.level)
    } remedy: { stage in
        for properties: AttributeProperties in [.notify, .indicate] {
            try await stage.server.remove(stage.service)
            try await stage.serve(.bell(properties: properties))
            try stage.server.notify(Data([1]), on: stage.level)
        }
    }

    static let advertisementTooLong = Rehearsal("advertise fewer services or less data") { stage in
        let data = Data(repeating: 1, count: 24)
        try await stage.startServer().startAdvertising(
            LocalAdvertisement(serviceUUIDs: [.bell, .level], manufacturerData: [1: data])
        )
    } remedy: { stage in
        try await stage.advertise(
            LocalAdvertisement(manufacturerData: [1: Data(repeating: 1, count: 24)])
        )
        try await stage.advertise(
            LocalAdvertisement(serviceUUIDs: [.bell, .level], manufacturerData: [1: Data([1])])
        )
    }

    static let nameTooLong = Rehearsal("shorten it") { stage in
        try await stage.startServer().startAdvertising(
            LocalAdvertisement(localName: String(repeating: "n", count: 90))
        )
    } remedy: { stage in
        let name = String(repeating: "n", count: LocalAdvertisement.maximumNameLength)
        try await stage.advertise(LocalAdvertisement(localName: name))
    }

    static let invalidAdvertisement = Rehearsal("the timeout must lie between 1 s and 65,535 s") {
        stage in
        try await stage.startServer().startAdvertising(
            LocalAdvertisement(localName: "Bell", timeout: .zero)
        )
    } remedy: { stage in
        for timeout: Duration in [.seconds(1), .seconds(65_535)] {
            try await stage.advertise(LocalAdvertisement(localName: "Bell", timeout: timeout))
        }
    }

    static let alreadyAdvertising = Rehearsal("call stopAdvertising() first") { stage in
        let advertisement = LocalAdvertisement(localName: "Bell")
        try await stage.startServer().startAdvertising(advertisement)
        try await stage.server.startAdvertising(advertisement)
    } remedy: { stage in
        await stage.server.stopAdvertising()
        try await stage.server.startAdvertising(LocalAdvertisement(localName: "Bell"))
    }

    static let tooManyAdvertisements = Rehearsal(
        "stop another program's advertisement",
        {
            $0.advertisingInstances = 1
        }
    ) { stage in
        // Another program takes a place of the adapter as another server does.
        let other = GATTServer(mainLoop: stage.world.mainLoop)
        stage.others.append(other)
        other.start()
        try await other.startAdvertising(LocalAdvertisement(localName: "Other"))
        try await stage.startServer().startAdvertising(LocalAdvertisement(localName: "Bell"))
    } remedy: { stage in
        await (stage.others.last as? GATTServer)?.stopAdvertising()
        try await stage.server.startAdvertising(LocalAdvertisement(localName: "Bell"))
    }

    static let notSubscribed = Rehearsal("see `subscribers`", { $0.version = .v5_86 }) { stage in
        try await stage.serve(.bell(subscriptions: .perCentral))
        try await stage.connectPhone()
        try await stage.notifyPhone()
    } remedy: { stage in
        try await stage.phones[0].subscribe(to: "FFE1")
        try await stage.wait("`subscribers` has the central") { stage.level.subscribers.count == 1 }
        for subscriber in stage.level.subscribers {
            try stage.server.notify(Data([1]), on: stage.level, to: subscriber.central)
        }
        _ = try await stage.phones[0].next(of: "FFE1")
    }

    static let notAddressable = Rehearsal(
        "notify all subscribers, or wait until it is the only central"
    ) { stage in
        try await stage.serve(.bell(subscriptions: .perCentral))
        for _ in 0..<2 {
            try await stage.connectPhone()
            try await stage.phones.last?.subscribe(to: "FFE1")
        }
        try await stage.sleep(1)
        try await stage.notifyPhone()
    } remedy: { stage in
        try stage.server.notify(Data([1]), on: stage.level)
        _ = try await stage.phones[0].next(of: "FFE1")
        try await stage.phones[1].leave()
        try await stage.sleep(1)
        try await stage.notifyPhone()
        _ = try await stage.phones[0].next(of: "FFE1")
    }

    static let tooManyValues = Rehearsal("await each call") { stage in
        try await stage.serve(.bell(subscriptions: .perCentral))
        try await stage.connectPhone()
        try await stage.phones[0].subscribe(to: "FFE1")
        try await stage.sleep(1)
        for _ in 0..<20_000 { try await stage.notifyPhone() }
    } remedy: { stage in
        try await stage.sleep(10)
        guard let phone = stage.server.connectedDevices.first else {
            throw Unhelpful(text: "the central has disconnected")
        }
        for _ in 0..<1_000 {
            try await stage.server.notifyAndWait(Data([1]), on: stage.level, to: phone)
        }
    }
}

extension RehearsalStage {
    var level: LocalCharacteristic { service.characteristics[0] }

    @discardableResult
    func startServer() -> GATTServer {
        server.start()
        return server
    }

    func serve(_ service: LocalService) async throws {
        self.service = service
        try await startServer().add(service)
    }

    /// Replaces the advertisement.
    func advertise(_ advertisement: LocalAdvertisement) async throws {
        await server.stopAdvertising()
        try await server.startAdvertising(advertisement)
    }

    /// Connects a central to the server.
    func connectPhone() async throws {
        if !server.isAdvertising {
            try await server.startAdvertising(LocalAdvertisement(serviceUUIDs: [.bell]))
        }
        let phone = try world.addCentral()
        phones.append(phone)
        try await phone.connect()
        try await wait("the central is known") { server.connectedDevices.count == phones.count }
    }

    /// Sends a value to the first central only.
    func notifyPhone() async throws {
        if phones.isEmpty { try await connectPhone() }
        let address = phones[0].address
        let phone = server.connectedDevices.first { $0.address == address }
        guard let phone else { throw Unhelpful(text: "the central has disconnected") }
        try server.notify(Data([1]), on: level, to: phone)
    }
}

extension BluetoothUUID {
    fileprivate static let bell = BluetoothUUID(uint16: 0xFFE0)
    fileprivate static let level = BluetoothUUID(uint16: 0xFFE1)
}

extension LocalService {
    fileprivate static func bell(
        properties: AttributeProperties = [.read, .notify],
        subscriptions: SubscriptionMode = .shared
    ) -> LocalService {
        let level = LocalCharacteristic(
            uuid: .level,
            properties: properties,
            value: Data([5]),
            subscriptions: subscriptions
        )
        return LocalService(uuid: .bell, characteristics: [level])
    }
}
