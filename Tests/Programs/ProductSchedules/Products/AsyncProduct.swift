import Bluejay
import BluejayAsync
import BluejayGLib
import BluejaySimulator
import BluejayTesting
import Foundation

/// Users of one device with the calls of BluejayAsync.
// Used on the loop of the world only, which justifies `@unchecked`.
final class AsyncProduct: ScheduledProduct, @unchecked Swift.Sendable {
    enum Call: ProductCall {
        case connect(Int), connectToFirst, disconnect(immediate: Bool)
        case read(Attribute), write(Attribute), ask
        case values(Attribute, count: Int?), endListen(Attribute)
        case scan(count: Int), watch(milliseconds: Int), stopScanning
        case withConnection(Int), task, cancelEverything(disconnects: Bool)
        case events, cancel, rssi, services, descriptors, release
    }

    /// A characteristic of the devices, or one that they lack.
    enum Attribute: String, Swift.Sendable {
        case numbers = "2A37"
        case location = "2A38"
        case control = "2A39"
        case echo = "FFE1"
        case missing = "2A29"

        var identifier: CharacteristicIdentifier {
            let service =
                switch self {
                case .numbers, .location, .control: "180D"
                case .echo: "FFE0"
                case .missing: "180A"
                }
            return CharacteristicIdentifier(
                uuid: rawValue,
                service: ServiceIdentifier(uuid: service)
            )
        }
    }

    static let maximumUserCount = 3
    static let methods = [
        "Connect", "Disconnect", "ReadValue", "WriteValue", "StartNotify", "StopNotify",
        "AcquireNotify", "StartDiscovery", "StopDiscovery", "SetDiscoveryFilter",
        "GetManagedObjects", "RemoveDevice",
    ]
    static let vocabulary = StrangerVocabulary(
        owned: ["2A37", "2A38", "2A39", "FFE1"],
        deviceCount: 2,
        values: [[1], [0, 60]],
        numberedOfDevice: "2A37"
    )

    static func opening(users count: Int) -> [Step<Call>] {
        (0..<count).map { Step(pause: .zero, action: .call(user: $0, .connect(0))) }
            + [Step(pause: .seconds(3), action: .call(user: 0, .read(.location)))]
    }

    static func attribute(_ dice: inout Dice) -> Attribute {
        dice.pick([(4, .numbers), (4, .location), (3, .control), (3, .echo), (1, .missing)])
    }

    static func call(_ dice: inout Dice) -> Call {
        let attribute = attribute(&dice)
        let device = dice.below(2)
        let listened: Attribute = dice.pick([(6, .numbers), (2, .echo), (1, .location)])
        return dice.pick([
            (6, .connect(device)), (1, .connectToFirst),
            (2, .disconnect(immediate: dice.happens(1, of: 2))), (6, .read(attribute)),
            (5, .write(attribute)), (2, .ask),
            (7, .values(listened, count: dice.pick([(1, nil), (2, 1 + dice.below(4))]))),
            (3, .endListen(listened)), (2, .scan(count: 1 + dice.below(2))),
            (1, .watch(milliseconds: 1 + dice.below(4_000))), (1, .stopScanning),
            (2, .withConnection(device)), (2, .task),
            (1, .cancelEverything(disconnects: dice.happens(1, of: 2))), (1, .events),
            (3, .cancel), (1, .rssi), (1, .services), (1, .descriptors), (1, .release),
        ])
    }

    static func stranger(_ dice: inout Dice) -> StrangerAction { dice.stranger(vocabulary) }

    static func addDevices(to blueZ: SimulatedBlueZ) {
        for number in 0..<2 {
            let device = SimulatedDevice(
                address: Strangers.deviceAddress(number),
                advertising: ["180D"]
            )
            device.addService(
                "180D",
                [
                    ScriptedCharacteristic("2A37", ["notify"], .value([])),
                    ScriptedCharacteristic("2A38", ["read"], .value([1])),
                    ScriptedCharacteristic("2A39", ["read", "write"], .value([7])),
                ]
            )
            device.addService(
                "FFE0",
                [ScriptedCharacteristic("FFE1", ["read", "write", "notify"], .echoes([7]))]
            )
            blueZ.add(device)
        }
    }

    private let stage: Stage
    private var users: [AsyncUser?]

    init(_ stage: Stage, users count: Int) {
        self.stage = stage
        users = Array(repeating: nil, count: count)
    }

    private func user(_ number: Int) -> AsyncUser {
        if let user = users[number] { return user }
        let user = AsyncUser(number, stage)
        users[number] = user
        return user
    }

    func perform(_ call: Call, by number: Int) {
        guard case .release = call else { return user(number).perform(call) }
        let user = users[number]
        users[number] = nil
        user?.cancel()
    }

    func endEndlessCalls() { for user in users { user?.cancelEndless() } }

    func probe() async throws {
        for user in users { try await user?.calmDown() }
        await stage.pass(.seconds(5))
        for number in users.indices { try await user(number).probe() }
    }

    func release() {
        let ended = users
        users = users.map { _ in nil }
        for user in ended { user?.cancel() }
    }
}

/// An instance with its calls.
// Used on the loop of the world only, which justifies `@unchecked`.
private final class AsyncUser: @unchecked Swift.Sendable {
    private let number: Int
    private let stage: Stage
    private let bluejay: Bluejay
    private var tasks: [Task<Void, Never>] = []
    private var endlessTasks: [Task<Void, Never>] = []

    init(_ number: Int, _ stage: Stage) {
        self.number = number
        self.stage = stage
        bluejay = Bluejay(
            mainLoop: stage.world.mainLoop,
            adapter: "hci0",
            busAddress: stage.world.busAddress
        )
        stage.watch(bluejay, "instance")
        bluejay.start()
    }

    func cancel() {
        for task in tasks { task.cancel() }
        tasks = []
        cancelEndless()
    }

    func cancelEndless() {
        for task in endlessTasks { task.cancel() }
        endlessTasks = []
    }

    private static func device(_ number: Int) throws -> PeripheralIdentifier {
        try PeripheralIdentifier(
            address: Strangers.deviceAddress(number),
            isRandomAddress: true,
            name: nil
        )
    }

    private static let filter = ScanFilter.anyService([ServiceIdentifier(uuid: "180D")])

    /// Starts a call; with `isEndless`, it ends with its task at the latest.
    private func start(
        _ kind: String,
        _ text: String = "",
        isEndless: Bool = false,
        _ work: @escaping @Sendable (Bluejay) async throws -> String
    ) {
        let bluejay = bluejay
        let task = stage.start(kind, by: number, text, isEndless: isEndless) {
            try await work(bluejay)
        }
        if isEndless { endlessTasks.append(task) } else { tasks.append(task) }
    }

    func perform(_ call: AsyncProduct.Call) {
        switch call {
        case .connect(let device):
            start("connect") {
                try await $0.connect(Self.device(device), timeout: .seconds(10))
                return "ok"
            }
        case .connectToFirst:
            start("connect to the first") {
                "\(try await $0.connect(toFirst: Self.filter, within: .seconds(10)))"
            }
        case .disconnect(let immediate):
            start("disconnect") { "\(try await $0.disconnect(immediate: immediate))" }
        case .read(let attribute):
            start("read", "\(attribute)") {
                let value: Data = try await $0.read(from: attribute.identifier)
                return "\(value.count) bytes"
            }
        case .write(let attribute):
            let value = Data(Stage.bytes(stage.nextNumber()))
            start("write", "\(attribute)") {
                try await $0.write(to: attribute.identifier, value: value)
                return "ok"
            }
        case .ask:
            start("ask") {
                let echo = AsyncProduct.Attribute.echo.identifier
                let reply = try await $0.ask(echo, writing: Data([1, 2]))
                return "\(reply.count) bytes"
            }
        case .values(let attribute, let count): values(attribute, count)
        case .endListen(let attribute):
            start("endListen", "\(attribute)") {
                try await $0.endListen(to: attribute.identifier)
                return "ok"
            }
        case .scan, .watch, .stopScanning: scan(call)
        case .withConnection(let device):
            let stage = stage
            start("withConnection") {
                try await $0.withConnection(to: Self.device(device)) { _ in
                    await stage.pass(.milliseconds(300))
                    return "ok"
                }
            }
        case .task:
            start("run") {
                try await $0.run { peripheral in
                    let location = AsyncProduct.Attribute.location.identifier
                    let value: Data = try peripheral.read(from: location)
                    return "\(value.count) bytes"
                }
            }
        case .cancelEverything(let disconnects):
            start("cancelEverything") {
                await $0.cancelEverything(shouldDisconnect: disconnects)
                return "ok"
            }
        case .events: events()
        case .rssi: start("readRSSI") { "\(try await $0.readRSSI())" }
        case .services: start("services") { "\($0.services.count)" }
        case .descriptors: start("details") { "\(try await $0.peripheralDetails())" }
        case .cancel: cancel()
        case .release: break
        }
    }

    private func values(_ attribute: AsyncProduct.Attribute, _ count: Int?) {
        let listen = ReportSequence("a listen", "\(attribute) of user \(number)", in: stage.ledger)
        let isOrdered = if case .numbers = attribute { true } else { false }
        start("values", "\(attribute)", isEndless: true) { bluejay in
            var received = 0
            let values: ValueStream<Data> = bluejay.values(of: attribute.identifier)
            for try await value in values {
                if isOrdered, let number = Stage.number(value) { listen.received(number) }
                received += 1
                if received == count { break }
            }
            return "\(received) values"
        }
    }

    private func scan(_ call: AsyncProduct.Call) {
        let service = ServiceIdentifier(uuid: "180D")
        switch call {
        case .scan(let count):
            start("scan", isEndless: true) {
                var found = 0
                for try await _ in $0.scan(serviceIdentifiers: [service]) {
                    found += 1
                    if found == count { break }
                }
                return "\(found) found"
            }
        case .watch(let milliseconds):
            start("scan with a duration") {
                var found = 0
                let scan = $0.scan(
                    duration: Double(milliseconds) / 1_000,
                    serviceIdentifiers: [service]
                )
                for try await _ in scan { found += 1 }
                return "\(found) found"
            }
        default:
            start("stopScanning") {
                await $0.stopScanning()
                return "ok"
            }
        }
    }

    private func events() {
        let events = bluejay.connectionEvents(bufferingPolicy: .unbounded)
        let stage = stage
        start("connectionEvents", isEndless: true) { _ in
            for await event in events { stage.ledger.record("\(event)") }
            return "ended"
        }
    }

    func calmDown() async throws {
        let bluejay = bluejay
        await bluejay.cancelEverything(shouldDisconnect: true)
        try await stage.wait(for: "Bluetooth") { bluejay.isBluetoothAvailable }
    }

    /// Connects, reads, writes, listens and disconnects.
    func probe() async throws {
        let bluejay = bluejay
        try await stage.wait(for: "Bluetooth") { bluejay.isBluetoothAvailable }
        // bluetoothd must discover the devices again.
        for try await found in bluejay.scan(serviceIdentifiers: [ServiceIdentifier(uuid: "180D")])
        where try found.peripheralIdentifier == Self.device(0) { break }
        try await bluejay.connect(Self.device(0), timeout: .seconds(30))
        let value: Data = try await bluejay.read(
            from: AsyncProduct.Attribute.location.identifier
        )
        guard value == Data([1]) else { throw ProbeError.wrongValue }
        let echo = AsyncProduct.Attribute.echo.identifier
        let reply = try await bluejay.ask(echo, writing: Data([5]))
        guard reply == Data([5]) else { throw ProbeError.wrongValue }
        try await bluejay.disconnect()
        await stage.pass(.seconds(3))
    }
}
