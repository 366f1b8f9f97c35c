import BluejayCore
import BluejayGATTServer
import BluejaySimulator
import BluejayTesting
import Foundation

/// Servers on one adapter, and centrals that send anything.
final class GATTServerProduct: ScheduledProduct {
    enum Call: ProductCall {
        case start, stop, add, remove, release
        case advertise, advertiseAlone, stopAdvertising, stopAdvertisingAlone
        case setValue([UInt8])
        case notify(Served), notifyAndComplete(Served), notifyCentral(Served, Int)
        case answer(Answer)
    }

    enum Served: Int, Swift.Sendable { case shared, indicated, perCentral }

    /// The reply to requests of centrals.
    enum Answer: Swift.Sendable { case now, late(Duration), refused, never, dropped }

    static let maximumUserCount = 2
    static let methods = [
        "RegisterApplication", "UnregisterApplication", "RegisterAdvertisement",
        "UnregisterAdvertisement", "GetManagedObjects", "Disconnect",
    ]
    private static let vocabulary = StrangerVocabulary(
        served: (0..<maximumUserCount).flatMap { user in
            (1...5).map { ServerUser.text(user, $0) }
        },
        centralCount: 3
    )

    static func opening(users count: Int) -> [Step<Call>] {
        (0..<count).flatMap { user in
            [Call.start, .add, .advertise].map {
                Step(pause: .zero, action: .call(user: user, $0))
            }
        }
    }

    static func call(_ dice: inout Dice) -> Call {
        let served: Served = dice.pick([(2, .shared), (1, .indicated), (3, .perCentral)])
        let answer: Answer = dice.pick([
            (2, .now), (2, .late(dice.milliseconds(upTo: 3_000))), (1, .refused), (1, .never),
            (1, .dropped),
        ])
        return dice.pick([
            (2, .start), (1, .stop), (3, .add), (2, .remove), (1, .release), (3, .advertise),
            (2, .advertiseAlone), (1, .stopAdvertising), (1, .stopAdvertisingAlone),
            (1, .setValue(dice.bytes(upTo: 520))), (8, .notify(served)),
            (4, .notifyAndComplete(served)), (8, .notifyCentral(served, dice.below(3))),
            (3, .answer(answer)),
        ])
    }

    static func stranger(_ dice: inout Dice) -> StrangerAction { dice.stranger(vocabulary) }

    private let stage: Stage
    private var users: [ServerUser?]

    init(_ stage: Stage, users count: Int) {
        self.stage = stage
        users = Array(repeating: nil, count: count)
        for number in 0..<Strangers.probed { watchValues(number) }
    }

    /// The values of each user and characteristic arrive at a central in order.
    private func watchValues(_ number: Int) {
        guard let central = try? stage.blueZ.central(Strangers.centralAddress(number)) else {
            return
        }
        let values = ReportSequence("a central", "central \(number)", in: stage.ledger)
        central.onValue = { uuid, bytes in
            if let number = Stage.number(bytes) { values.received(number, from: uuid) }
        }
    }

    func perform(_ call: Call, by number: Int) {
        if users[number] == nil { users[number] = ServerUser(number, stage) }
        if case .release = call {
            // The release completes pending calls, whose completions may use the array.
            let user = users[number]
            users[number] = nil
            withExtendedLifetime(user) {}
        } else {
            users[number]?.perform(call)
        }
    }

    func endEndlessCalls() {
        for number in 0..<Strangers.probed { watchValues(number) }
        for user in users { user?.perform(.answer(.now)) }
    }

    func probe() async throws {
        // The users share the advertising instances of the adapter.
        for user in users { await user?.unpublish() }
        for number in users.indices {
            let user = users[number] ?? ServerUser(number, stage)
            users[number] = user
            try await user.publish()
            let central = Strangers.centralAddress(number)
            let name = { ServerUser.text(number, $0) }
            let report = try await stage.play(
                central,
                [
                    .connectTo(adapter: 0, within: .seconds(30)), .subscribe(name(1)),
                    .subscribe(name(5)), .write(name(4), [1, 2, 3, 4, 5]), .read(name(3)),
                ]
            )
            try report.check()
            guard report.reads.last == [3] else { throw ProbeError.wrongValue }
            user.perform(.notify(.shared))
            user.perform(.notify(.perCentral))
            try await stage.play(
                central,
                [
                    .expect(name(1)), .expect(name(5)), .disconnect,
                ]
            ).check()
        }
    }

    func release() { users = users.map { _ in nil } }
}

enum ProbeError: Error { case wrongValue, notFound, noEvent(String) }

extension Strangers {
    /// The number of centrals whose values are checked.
    static let probed = 3
}

extension Stage {
    func play(_ central: String, _ steps: [CentralStep]) async throws -> CentralReport {
        guard let central = try blueZ.central(central) else { throw ProbeError.notFound }
        return await withCheckedContinuation { continuation in
            central.play(steps) { continuation.resume(returning: $0) }
        }
    }
}

/// A server with one service.
private final class ServerUser {
    private let number: Int
    private let stage: Stage
    private let server: GATTServer
    private var service = LocalService(uuid: BluetoothUUID(uint16: 0))
    private var answer = GATTServerProduct.Answer.now
    private var held: [Any] = []
    private var advertisements: [ActiveAdvertisement] = []
    private let requests: ReportSequence
    private var startCount = 0

    static func text(_ user: Int, _ number: Int) -> String { "FF\(1 + user)\(number)" }

    init(_ number: Int, _ stage: Stage) {
        self.number = number
        self.stage = stage
        server = GATTServer(mainLoop: stage.world.mainLoop, adapter: "hci0")
        requests = ReportSequence("a request", "the requests of user \(number)", in: stage.ledger)
        stage.watch(server, "server")
        service = makeService()
        stage.watch(service, "service")
    }

    deinit { requests.end("the release of the server") }

    private func makeService() -> LocalService {
        func uuid(_ last: Int) -> BluetoothUUID {
            BluetoothUUID(uint16: 0xFF10 + UInt16(16 * number + last))
        }
        return LocalService(
            uuid: uuid(0),
            characteristics: [
                LocalCharacteristic(uuid: uuid(1), properties: [.read, .notify]),
                LocalCharacteristic(uuid: uuid(2), properties: [.indicate]),
                LocalCharacteristic(uuid: uuid(3), properties: .read) { [weak self] in
                    self?.received($0)
                },
                LocalCharacteristic(
                    uuid: uuid(4),
                    properties: [.write, .writeWithoutResponse],
                    onWrite: { [weak self] in self?.received($0) }
                ),
                LocalCharacteristic(
                    uuid: uuid(5),
                    properties: [.notify, .indicate, .write],
                    value: Data([5]),
                    subscriptions: .perCentral
                ),
            ]
        )
    }

    private func received(_ request: ReadRequest) {
        requests.reported("read")
        reply {
            request.respond(with: Data([3]))
        } refuse: {
            request.reject(.unlikelyError)
        } hold: {
            self.held.append(request)
        }
    }

    private func received(_ request: WriteRequest) {
        requests.reported("write \(request.value.count)")
        reply {
            request.accept()
        } refuse: {
            request.reject(.unlikelyError)
        } hold: {
            self.held.append(request)
        }
    }

    private func reply(
        _ accept: @escaping () -> Void,
        refuse: () -> Void,
        hold: () -> Void
    ) {
        switch answer {
        case .now: accept()
        case .late(let delay): stage.after(delay, accept)
        case .refused: refuse()
        case .never: hold()
        case .dropped: break
        }
    }

    private var advertisement: LocalAdvertisement {
        LocalAdvertisement(serviceUUIDs: [service.uuid])
    }

    private func characteristic(_ served: GATTServerProduct.Served) -> LocalCharacteristic {
        service.characteristics[[0, 1, 4][served.rawValue]]
    }

    func perform(_ call: GATTServerProduct.Call) {
        func begin(_ kind: String) -> OpenCall { stage.ledger.begin(kind, by: number, call.text) }
        switch call {
        case .start:
            stage.ledger.record("user \(number): start")
            reopen()
            server.start()
        case .stop: stop(begin("stop"))
        case .add:
            reopen()
            let open = begin("add")
            server.add(service) { open.end($0) }
        case .remove: remove(begin("remove"))
        case .advertise:
            let open = begin("advertise")
            advertisements.append(server.advertise(advertisement) { open.end($0) })
        case .advertiseAlone:
            let open = begin("startAdvertising")
            server.startAdvertising(advertisement) { open.end($0) }
        case .stopAdvertising:
            guard let last = advertisements.popLast() else { return }
            let open = begin("stop of an advertisement")
            last.stop { open.end() }
        case .stopAdvertisingAlone:
            let open = begin("stopAdvertising")
            server.stopAdvertising { open.end() }
        case .setValue(let value):
            try? service.characteristics[0].setValue(Data(value))
        case .notify(let served):
            let value = Data(Stage.bytes(stage.nextNumber()))
            _ = try? server.notify(value, on: characteristic(served))
        case .notifyAndComplete(let served):
            let value = Data(Stage.bytes(stage.nextNumber()))
            let open = begin("notify")
            server.notify(value, on: characteristic(served)) { open.end($0) }
        case .notifyCentral(let served, let index): notifyCentral(served, index, begin)
        case .answer(let answer):
            self.answer = answer
            if case .now = answer { held = [] }
        case .release: break
        }
    }

    private func notifyCentral(
        _ served: GATTServerProduct.Served,
        _ index: Int,
        _ begin: (String) -> OpenCall
    ) {
        let centrals = server.connectedDevices
        guard index < centrals.count else { return }
        let value = Data(Stage.bytes(stage.nextNumber()))
        let open = begin("notify to a central")
        server.notify(value, on: characteristic(served), to: centrals[index]) { open.end($0) }
    }

    private func reopen() {
        startCount += 1
        requests.reopen()
    }

    private func stop(_ open: OpenCall) {
        let count = startCount
        server.stop { [weak self] in
            if let self, startCount == count { requests.end("stop") }
            open.end()
        }
    }

    private func remove(_ open: OpenCall) {
        server.remove(service) { open.end($0) }
    }

    func unpublish() async {
        answer = .now
        held = []
        let server = server
        await server.stop()
    }

    func publish() async throws {
        reopen()
        server.start()
        try await stage.wait(for: "Bluetooth") { self.server.bluetoothState == .poweredOn }
        let server = server
        try await server.add(service)
        _ = try await server.advertise(advertisement)
    }
}
