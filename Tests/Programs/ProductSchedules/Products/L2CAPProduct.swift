import BluejayCore
import BluejayGLib
import BluejayL2CAP
import BluejaySimulator
import BluejayTesting
import Foundation

/// Channels to devices that send anything, and listeners for their channels.
// Used on the loop of the world only, which justifies `@unchecked`.
final class L2CAPProduct: ScheduledProduct, @unchecked Swift.Sendable {
    enum Call: ProductCall {
        case open(Int, psm: UInt16), send(count: Int), sendLong(Int), flush
        case close(milliseconds: Int), read(count: Int?), cancel
        case listen, closeListener, release
    }

    static let maximumUserCount = 2
    static let methods = [
        "Connect", "Disconnect", "GetManagedObjects", "StartDiscovery", "StopDiscovery",
    ]
    private static let echo: UInt16 = 0x80
    private static let closing: UInt16 = 0x81
    private static let listened: UInt16 = 0x90
    private static let vocabulary = StrangerVocabulary(
        owned: ["2A38"],
        deviceCount: 2,
        psms: [listened, listened + 1]
    )

    static func opening(users count: Int) -> [Step<Call>] {
        (0..<count).flatMap { user in
            [
                Step(pause: .zero, action: .call(user: user, .listen)),
                Step(pause: .zero, action: .call(user: user, .open(0, psm: echo))),
            ]
        } + [Step(pause: .seconds(3), action: .call(user: 0, .send(count: 2)))]
    }

    static func call(_ dice: inout Dice) -> Call {
        let psm = dice.pick([(5, echo), (2, closing), (1, 0x82), (1, 0)])
        return dice.pick([
            (6, .open(dice.below(2), psm: psm)), (8, .send(count: 1 + dice.below(6))),
            (3, .sendLong(dice.below(40_000))), (3, .flush),
            (3, .close(milliseconds: dice.below(4_000) - 500)),
            (3, .read(count: dice.pick([(1, nil), (1, 1 + dice.below(3))]))), (2, .cancel),
            (2, .listen), (1, .closeListener), (1, .release),
        ])
    }

    static func stranger(_ dice: inout Dice) -> StrangerAction { dice.stranger(vocabulary) }

    static func addDevices(to blueZ: SimulatedBlueZ) {
        for number in 0..<2 {
            let device = SimulatedDevice(
                address: Strangers.deviceAddress(number),
                advertising: ["180D"]
            )
            device.addService("180D", [ScriptedCharacteristic("2A38", ["read"], .value([1]))])
            device.serveChannels(on: echo, .echo)
            device.serveChannels(on: closing, number == 0 ? .closes(afterBytes: 40) : .neverReads)
            blueZ.add(device)
        }
    }

    private let stage: Stage
    private var users: [ChannelUser?]

    init(_ stage: Stage, users count: Int) {
        self.stage = stage
        users = Array(repeating: nil, count: count)
    }

    private func user(_ number: Int) -> ChannelUser {
        if let user = users[number] { return user }
        let user = ChannelUser(number, stage)
        users[number] = user
        return user
    }

    func perform(_ call: Call, by number: Int) {
        guard case .release = call else { return user(number).perform(call) }
        // The release completes pending calls, whose completions may use the array.
        let user = users[number]
        users[number] = nil
        user?.end()
    }

    func endEndlessCalls() { for user in users { user?.end() } }

    func probe() async throws {
        for user in users { user?.end() }
        users = users.map { _ in nil }
        await stage.pass(.seconds(5))
        try await user(0).probe()
    }

    func release() {
        let ended = users
        users = users.map { _ in nil }
        for user in ended { user?.end() }
    }
}

/// Channels with their calls.
// Used on the loop of the world only, which justifies `@unchecked`.
private final class ChannelUser: @unchecked Swift.Sendable {
    private let number: Int
    private let stage: Stage
    private var channels: [L2CAPChannel] = []
    private var listener: L2CAPListener?
    private var tasks: [Task<Void, Never>] = []

    init(_ number: Int, _ stage: Stage) {
        self.number = number
        self.stage = stage
    }

    private var host: BluetoothHost {
        BluetoothHost(
            mainLoop: stage.world.mainLoop,
            adapter: "hci0",
            busAddress: stage.world.busAddress
        )
    }

    private func makeChannel(_ device: Int, _ psm: UInt16) -> L2CAPChannel? {
        let identifier = try? PeripheralIdentifier(
            address: Strangers.deviceAddress(device),
            isRandomAddress: true,
            name: nil
        )
        guard let identifier else { return nil }
        let channel = L2CAPChannel(to: identifier, psm: psm, host: host)
        follow(channel, "\(psm)")
        return channel
    }

    /// Checks the reports of a channel: packets in order, one end, and nothing after it.
    private func follow(_ channel: L2CAPChannel, _ name: String) {
        stage.watch(channel, "channel")
        let reports = ReportSequence(
            "a channel",
            "channel \(name) of user \(number)",
            in: stage.ledger
        )
        channel.onReceive = { data in
            if let number = Stage.number(data) {
                reports.received(number)
            } else {
                reports.reported("\(data.count) bytes")
            }
        }
        channel.onEnd = { reason in
            reports.reported("ends: \(reason)")
            reports.end("its end")
        }
    }

    private func begin(_ kind: String, _ text: String = "") -> OpenCall {
        stage.ledger.begin(kind, by: number, text)
    }

    func perform(_ call: L2CAPProduct.Call) {
        switch call {
        case .open(let device, let psm):
            guard let channel = makeChannel(device, psm) else { return }
            channels.append(channel)
            let open = begin("open", "\(psm)")
            channel.open(timeout: .seconds(10)) { open.end($0) }
        case .send(let count):
            for _ in 0..<count {
                let data = Data(Stage.bytes(stage.nextNumber()))
                let open = begin("send")
                guard let channel = channels.last else { return open.end("no channel") }
                channel.send(data) { open.end($0) }
            }
        case .sendLong(let length):
            guard let channel = channels.last else { return }
            let open = begin("send of any length", "\(length)")
            channel.send(contentsOf: Data(repeating: 1, count: length), progress: nil) {
                open.end($0)
            }
        case .flush:
            guard let channel = channels.last else { return }
            let open = begin("flush")
            channel.flush(timeout: .seconds(5)) { open.end($0) }
        case .close(let milliseconds):
            guard let channel = channels.popLast() else { return }
            let open = begin("close")
            channel.close(timeout: .seconds(Double(milliseconds) / 1_000)) {
                open.end("\($0) bytes lost")
            }
        case .read(let count): read(count)
        case .cancel:
            for task in tasks { task.cancel() }
            tasks = []
        case .listen: listen()
        case .closeListener:
            listener?.close()
            listener = nil
        case .release: break
        }
    }

    private func read(_ limit: Int?) {
        guard let channel = channels.last else { return }
        tasks.append(
            stage.start("received", by: number, isEndless: true) {
                var count = 0
                for await _ in channel.received {
                    count += 1
                    if count == limit { break }
                }
                return "\(count) packets"
            }
        )
    }

    private func listen() {
        let listener = L2CAPListener(psm: 0x90 + UInt16(number), host: host)
        stage.watch(listener, "listener")
        self.listener = listener
        listener.onChannel = { [weak self] channel in
            guard let self else { return }
            follow(channel, "of a device")
            channels.append(channel)
        }
        let open = begin("listen")
        listener.start(timeout: .seconds(10)) { open.end($0) }
    }

    func end() {
        for task in tasks { task.cancel() }
        tasks = []
        let ended = (channels, listener)
        channels = []
        listener = nil
        for channel in ended.0 {
            let open = begin("close at the end")
            channel.close(timeout: .seconds(-1)) { open.end("\($0) bytes lost") }
        }
    }

    /// Opens a channel, and receives the echo of two packets in order.
    func probe() async throws {
        guard let channel = makeChannel(0, 0x80) else { throw ProbeError.notFound }
        channel.onReceive = nil
        try await channel.open(timeout: .seconds(30))
        try await channel.send(Data([1, 2]))
        try await channel.send(Data([3]))
        var received: [Data] = []
        for await packet in channel.received {
            received.append(packet)
            if received.count == 2 { break }
        }
        guard received == [Data([1, 2]), Data([3])] else { throw ProbeError.wrongValue }
        _ = await channel.close(timeout: .seconds(10))
    }
}
