import Bluejay
import BluejayGLib
import BluejaySimulator
import BluejayTesting
import Foundation

/// Users of one device with the callbacks of Bluejay, which make further calls.
// Used on the loop of the world only, which justifies `@unchecked`.
final class BluejayProduct: ScheduledProduct, @unchecked Swift.Sendable {
    typealias Attribute = AsyncProduct.Attribute

    enum Call: ProductCall {
        case start, connect(Int), connectToFirst, disconnect(immediate: Bool)
        case read(Attribute), write(Attribute, WriteType)
        case listen(Attribute, isKept: Bool), endListen(Attribute)
        case scan(milliseconds: Int, discoveries: Int, connects: Bool), stopScanning
        case cancelEverything(disconnects: Bool), stop, task, release
    }

    static let maximumUserCount = 3
    static let methods = AsyncProduct.methods

    static func opening(users count: Int) -> [Step<Call>] {
        (0..<count).map { Step(pause: .zero, action: .call(user: $0, .connect(0))) }
            + [Step(pause: .seconds(3), action: .call(user: 0, .listen(.numbers, isKept: false)))]
    }

    static func call(_ dice: inout Dice) -> Call {
        let (attribute, device) = (AsyncProduct.attribute(&dice), dice.below(2))
        let listened: Attribute = dice.pick([(6, .numbers), (2, .echo), (1, .location)])
        let scan = Call.scan(
            milliseconds: 1 + dice.below(5_000),
            discoveries: 1 + dice.below(3),
            connects: dice.happens(1, of: 3)
        )
        let type: WriteType = dice.happens(3, of: 4) ? .withResponse : .withoutResponse
        return dice.pick([
            (1, .start), (6, .connect(device)), (1, .connectToFirst),
            (3, .disconnect(immediate: dice.happens(1, of: 3))), (6, .read(attribute)),
            (6, .write(attribute, type)),
            (8, .listen(listened, isKept: dice.happens(1, of: 3))), (4, .endListen(listened)),
            (3, scan), (2, .stopScanning),
            (2, .cancelEverything(disconnects: dice.happens(1, of: 2))), (1, .stop), (2, .task),
            (1, .release),
        ])
    }

    static func stranger(_ dice: inout Dice) -> StrangerAction {
        dice.stranger(AsyncProduct.vocabulary)
    }

    static func addDevices(to blueZ: SimulatedBlueZ) { AsyncProduct.addDevices(to: blueZ) }

    private let stage: Stage
    private var users: [CallbackUser?]

    init(_ stage: Stage, users count: Int) {
        self.stage = stage
        users = Array(repeating: nil, count: count)
    }

    private func user(_ number: Int) -> CallbackUser {
        if let user = users[number] { return user }
        let user = CallbackUser(number, stage)
        users[number] = user
        return user
    }

    func perform(_ call: Call, by number: Int) {
        guard case .release = call else { return user(number).perform(call) }
        // The release completes pending calls, whose completions may use the array.
        let user = users[number]
        users[number] = nil
        withExtendedLifetime(user) {}
    }

    func endEndlessCalls() {
        for user in users { user?.perform(.cancelEverything(disconnects: false)) }
    }

    func probe() async throws {
        for user in users { user?.perform(.cancelEverything(disconnects: true)) }
        await stage.pass(.seconds(5))
        for number in users.indices { try await user(number).probe() }
    }

    func release() {
        let ended = users
        users = users.map { _ in nil }
        withExtendedLifetime(ended) {}
    }
}

/// An instance with its calls and listens.
// Used on the loop of the world only, which justifies `@unchecked`.
private final class CallbackUser: @unchecked Swift.Sendable {
    private struct Listen {
        let attribute: AsyncProduct.Attribute
        let isKept: Bool
        let reports: ReportSequence
    }

    private let number: Int
    private let stage: Stage
    private let bluejay: Bluejay
    private var listens: [Listen] = []

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

    deinit {
        let listens = listens
        // The release ends the listens in the present iteration of the loop.
        stage.after(.milliseconds(10)) {
            for listen in listens { listen.reports.end("the release of the instance") }
        }
    }

    private static func device(_ number: Int) -> PeripheralIdentifier? {
        try? PeripheralIdentifier(
            address: Strangers.deviceAddress(number),
            isRandomAddress: true,
            name: nil
        )
    }

    private func begin(_ kind: String, _ text: String = "") -> OpenCall {
        stage.ledger.begin(kind, by: number, text)
    }

    func perform(_ call: BluejayProduct.Call) {
        switch call {
        case .start: bluejay.start()
        case .connect(let device):
            guard let device = Self.device(device) else { return }
            let open = begin("connect")
            bluejay.connect(device, timeout: .seconds(10)) { open.end("\($0)") }
        case .connectToFirst:
            let open = begin("connect to the first")
            let filter = ScanFilter.anyService([ServiceIdentifier(uuid: "180D")])
            bluejay.connect(toFirst: filter, within: .seconds(10)) { open.end("\($0)") }
        case .disconnect(let immediate):
            let open = begin("disconnect")
            bluejay.disconnect(immediate: immediate) { open.end("\($0)") }
        case .read(let attribute):
            let open = begin("read", "\(attribute)")
            bluejay.read(from: attribute.identifier) { (result: ReadResult<Data>) in
                open.end("\(result)")
            }
        case .write(let attribute, let type):
            let open = begin("write", "\(attribute)")
            let value = Data(Stage.bytes(stage.nextNumber()))
            bluejay.write(to: attribute.identifier, value: value, type: type) {
                open.end("\($0)")
            }
        case .listen(let attribute, let isKept): listen(attribute, isKept)
        case .endListen(let attribute): endListen(attribute)
        case .scan(let milliseconds, let discoveries, let connects):
            scan(milliseconds, discoveries, connects)
        case .stopScanning: bluejay.stopScanning()
        case .cancelEverything(let disconnects):
            stage.ledger.record("user \(number): \(call.text)")
            bluejay.cancelEverything(shouldDisconnect: disconnects)
        case .stop:
            stage.ledger.record("user \(number): stop")
            _ = bluejay.stopAndExtractBluetoothState()
            for listen in listens { listen.reports.end("the stop") }
            listens = []
            bluejay.start()
        case .task: runTask()
        case .release: break
        }
    }

    /// Listens; a listen that is not kept reports nothing after its failure.
    private func listen(_ attribute: AsyncProduct.Attribute, _ isKept: Bool) {
        let text = "\(attribute) of user \(number), listen \(listens.count)"
        let reports = ReportSequence("a listen", text, in: stage.ledger)
        listens.append(Listen(attribute: attribute, isKept: isKept, reports: reports))
        stage.ledger.record("\(text) starts")
        let isOrdered = if case .numbers = attribute { true } else { false }
        let ledger = stage.ledger
        var failureCount = 0
        bluejay.listen(
            to: attribute.identifier,
            multipleListenOption: .replaceable,
            isKept: isKept
        ) { (result: ReadResult<Data>) in
            switch result {
            case .success(let value):
                if isOrdered, let number = Stage.number(value) {
                    reports.received(number)
                } else {
                    reports.reported("\(value.count) bytes")
                }
            case .failure(let error):
                // The failure of a listen is the completion of the call, and also follows a stop.
                ledger.record("\(text): \(error)")
                failureCount += 1
                if failureCount > 1, !isKept { ledger.violate("a listen fails twice", text) }
                if !isKept { reports.end("its failure") }
            }
        }
    }

    private func endListen(_ attribute: AsyncProduct.Attribute) {
        let ending = listens.filter { $0.attribute == attribute }
        let open = begin("endListen", "\(attribute)")
        bluejay.endListen(to: attribute.identifier) { result in
            if case .success = result {
                for listen in ending { listen.reports.end("endListen") }
            }
            open.end("\(result)")
        }
    }

    private func scan(_ milliseconds: Int, _ discoveries: Int, _ connects: Bool) {
        let reports = ReportSequence("a scan", "a scan of user \(number)", in: stage.ledger)
        let open = begin("scan")
        var count = 0
        bluejay.scan(
            duration: Double(milliseconds) / 1_000,
            allowDuplicates: true,
            serviceIdentifiers: [ServiceIdentifier(uuid: "180D")]
        ) { [weak self] discovery, _ in
            reports.reported("\(discovery.peripheralIdentifier)")
            count += 1
            guard count == discoveries else { return .continue }
            guard connects, let self else { return .stop }
            let connection = begin("connect of a scan")
            return .connect(discovery, .seconds(5), .default) { connection.end("\($0)") }
        } stopped: { found, error in
            reports.end("its stop")
            open.end("\(found.count) found, \(error.map { "\($0)" } ?? "no error")")
        }
    }

    private func runTask() {
        let open = begin("run")
        bluejay.run { peripheral in
            let location = AsyncProduct.Attribute.location.identifier
            let value: Data = try peripheral.read(from: location)
            return value
        } completionOnMainThread: { (result: RunResult<Data>) in
            open.end("\(result)")
        }
    }

    /// Connects, reads, listens to an echo and disconnects.
    func probe() async throws {
        let bluejay = bluejay
        bluejay.start()
        try await stage.wait(for: "Bluetooth") { bluejay.isBluetoothAvailable }
        let filter = ScanFilter.anyService([ServiceIdentifier(uuid: "180D")])
        try await result("connect") { end in
            bluejay.connect(toFirst: filter, within: .seconds(30)) { end("\($0)") }
        }
        try await result("read") { end in
            let location = AsyncProduct.Attribute.location.identifier
            bluejay.read(from: location) { (result: ReadResult<Data>) in end("\(result)") }
        }
        try await result("disconnect") { end in bluejay.disconnect { end("\($0)") } }
        await stage.pass(.seconds(3))
    }

    private func result(_ kind: String, _ work: (@escaping (String) -> Void) -> Void) async throws {
        let result = await withCheckedContinuation { continuation in
            work { continuation.resume(returning: $0) }
        }
        if result.hasPrefix("failure") { throw ProbeError.noEvent("\(kind): \(result)") }
    }
}
