import BluejayCore
import BluejayGLib
import BluejaySimulator
import BluejayTesting
import Foundation
import PocketMesh

/// A state machine with several callers, and radios that send anything.
// Used on the loop of the world only, which justifies `@unchecked`.
final class PocketMeshProduct: ScheduledProduct, @unchecked Swift.Sendable {
    enum Call: ProductCall {
        case connect(Int), switchDevice(Int), disconnect, send([UInt8]), startScanning
        case stopScanning, waitForPoweredOn, activate, shutdown, phases, cancel, release
    }

    static let maximumUserCount = 2
    static let methods = [
        "Connect", "Disconnect", "WriteValue", "StartNotify", "AcquireNotify", "StartDiscovery",
        "StopDiscovery", "SetDiscoveryFilter", "GetManagedObjects", "RemoveDevice",
    ]
    private static let tx = NordicUART.txUUID.uuidString
    private static let rx = NordicUART.rxUUID.uuidString
    private static let vocabulary = StrangerVocabulary(
        owned: [tx, rx],
        deviceCount: 2,
        numberedOfDevice: rx
    )

    static func opening(users count: Int) -> [Step<Call>] {
        [
            Step(pause: .zero, action: .call(user: 0, .connect(0))),
            Step(pause: .seconds(4), action: .call(user: 0, .send([1]))),
        ]
    }

    static func call(_ dice: inout Dice) -> Call {
        let device = dice.below(2)
        return dice.pick([
            (8, .connect(device)), (3, .switchDevice(device)), (3, .disconnect),
            (10, .send(dice.bytes(upTo: 600))), (2, .startScanning), (1, .stopScanning),
            (1, .waitForPoweredOn), (1, .activate), (1, .shutdown), (1, .phases), (3, .cancel),
            (1, .release),
        ])
    }

    static func stranger(_ dice: inout Dice) -> StrangerAction { dice.stranger(vocabulary) }

    static func addDevices(to blueZ: SimulatedBlueZ) {
        for number in 0..<2 {
            let service = NordicUART.serviceUUID.uuidString
            let device = SimulatedDevice(
                address: Strangers.deviceAddress(number),
                advertising: [service]
            )
            device.addService(
                service,
                [
                    ScriptedCharacteristic(tx, ["write"], .value([])),
                    ScriptedCharacteristic(rx, ["notify"], .value([])),
                ]
            )
            blueZ.add(device)
        }
    }

    private let stage: Stage
    private var radio: BLEStateMachine?
    private var tasks: [Task<Void, Never>] = []

    init(_ stage: Stage, users count: Int) {
        self.stage = stage
    }

    /// The state machine that all users share.
    private func makeRadio() -> BLEStateMachine {
        if let radio { return radio }
        let radio = BLEStateMachine(
            restoreIdentifier: nil,
            host: BluetoothHost(
                mainLoop: stage.world.mainLoop,
                adapter: "hci0",
                busAddress: stage.world.busAddress
            )
        )
        self.radio = radio
        stage.watch(radio, "state machine")
        let product = Reference(self)
        stage.start("the handlers", by: 9) {
            await radio.setReconnectionHandler { _, stream in
                product.object?.follow(stream, by: 9)
            }
            return "ok"
        }
        return radio
    }

    // The handlers of the radio do not retain the product.
    private final class Reference: @unchecked Swift.Sendable {
        weak var object: PocketMeshProduct?
        init(_ object: PocketMeshProduct) { self.object = object }
    }

    /// Checks that the values of a connection arrive in order; the stream ends with the connection.
    private func follow(_ stream: AsyncStream<Data>, by user: Int) {
        let values = ReportSequence("a radio", "the values for user \(user)", in: stage.ledger)
        stage.start("the values", by: user, isEndless: true) {
            for await value in stream {
                if let number = Stage.number(value) { values.received(number) }
            }
            return "ended"
        }
    }

    private static func device(_ number: Int) -> UUID {
        let identifier = try? PeripheralIdentifier(
            address: Strangers.deviceAddress(number),
            isRandomAddress: true,
            name: nil
        )
        return identifier?.uuid ?? UUID()
    }

    private func start(
        _ kind: String,
        by user: Int,
        isEndless: Bool = false,
        _ work: @escaping @Sendable (BLEStateMachine) async throws -> String
    ) {
        let radio = makeRadio()
        tasks.append(stage.start(kind, by: user, isEndless: isEndless) { try await work(radio) })
    }

    func perform(_ call: Call, by user: Int) {
        switch call {
        case .connect(let device):
            start("connect", by: user) { [weak self] in
                self?.follow(try await $0.connect(to: Self.device(device)), by: user)
                return "ok"
            }
        case .switchDevice(let device):
            start("switchDevice", by: user) { [weak self] in
                self?.follow(try await $0.switchDevice(to: Self.device(device)), by: user)
                return "ok"
            }
        case .send(let value):
            start("send", by: user) {
                try await $0.send(Data(value))
                return "ok"
            }
        case .waitForPoweredOn:
            start("waitForPoweredOn", by: user) {
                try await $0.waitForPoweredOn()
                return "ok"
            }
        case .phases:
            start("phases", by: user, isEndless: true) {
                var count = 0
                for await _ in await $0.phases { count += 1 }
                return "\(count) phases"
            }
        case .disconnect, .startScanning, .stopScanning, .activate, .shutdown:
            start("\(call.text)", by: user) {
                switch call {
                case .disconnect: await $0.disconnect()
                case .startScanning: await $0.startScanning()
                case .stopScanning: await $0.stopScanning()
                case .activate: await $0.activate()
                default: await $0.shutdown()
                }
                return "ok"
            }
        case .cancel: cancel()
        case .release:
            cancel()
            radio = nil
        }
    }

    private func cancel() {
        for task in tasks { task.cancel() }
        tasks = []
    }

    func probe() async throws {
        let radio = makeRadio()
        await radio.disconnect()
        await radio.stopScanning()
        await radio.activate()
        for _ in 0..<60 where await radio.bluetoothState != .poweredOn {
            await stage.pass(.seconds(1))
        }
        await stage.pass(.seconds(5))
        let values = try await radio.connect(to: Self.device(0))
        try await radio.send(Data([7]))
        let device = try stage.blueZ.device(Strangers.deviceAddress(0))
        guard device?.writes.last?.value == [7] else { throw ProbeError.wrongValue }
        device?.send([9], on: Self.rx)
        for await value in values {
            guard value == Data([9]) else { throw ProbeError.wrongValue }
            break
        }
        await radio.disconnect()
    }

    func release() {
        cancel()
        if let radio {
            stage.start("shutdown", by: 9) {
                await radio.shutdown()
                return "ok"
            }
        }
        radio = nil
    }
}
