import BluejayCore
import BluejayDBus
import BluejayGLib
import BluejaySimulator
import Foundation
import PocketMesh
import TestSupport

/// The state machine, its BlueZ and the radio, all on the main loop.
// Only the main loop uses it: the invariant behind `@unchecked`.
final class RadioCycles: @unchecked Swift.Sendable {
    private let drops: Int
    private let values: Int
    private let context = MainLoop.main.context
    private var system: SimulatedSystem?
    private var radio: BLEStateMachine?
    private var control: BusConnection?
    private var timer: ScheduledTimer?
    private var before: ResourceCount?
    /// The stream of the present connection, which has no reader.
    private var stream: AsyncStream<Data>?
    private var remaining = 0
    private var completion: () -> Void = {}
    private var isEnded = false
    private(set) var lines: [String] = []
    private(set) var faults: [String] = []

    private static let address = "C0:00:00:00:00:01"
    private static let rx = NordicUART.rxUUID.uuidString
    /// The drops until the runtime, the bus and the containers reach their final size.
    private static let warmUp = 200
    /// The number of values sent at once, which the loop can handle without a backlog.
    private static let portion = 500
    private static let bufferedCount = 512
    /// The simulated device remembers the last 10,000 values that it has sent.
    private static let remembered = 25_000

    init(drops: Int, values: Int) {
        self.drops = drops
        self.values = values
    }

    func run() {
        context.environment.value.clock = VirtualClock(on: context)
        SimulatedSystem.start(SimulatorOptions(), on: context) { [weak self] result in
            switch result {
            case .success(let system): self?.start(system)
            case .failure(let error): self?.end("\(error)")
            }
        }
        context.run()
    }

    private func start(_ system: SimulatedSystem) {
        self.system = system
        let device = SimulatedDevice(
            address: Self.address,
            advertising: [NordicUART.serviceUUID.uuidString]
        )
        device.addService(
            NordicUART.serviceUUID.uuidString,
            [
                ScriptedCharacteristic(NordicUART.txUUID.uuidString, ["write"], .value([])),
                ScriptedCharacteristic(Self.rx, ["notify"], .value([])),
            ]
        )
        system.world?.add(device)
        let radio = BLEStateMachine(
            restoreIdentifier: nil,
            host: BluetoothHost(mainLoop: .main, adapter: "hci0", busAddress: system.busAddress)
        )
        self.radio = radio
        do {
            control = try BusConnection(.address(system.busAddress), on: context)
            let identifier = try PeripheralIdentifier(
                address: Self.address,
                isRandomAddress: true,
                name: nil
            )
            Task { await connect(radio, identifier.uuid) }
        } catch {
            end("\(error)")
        }
    }

    private func connect(_ radio: BLEStateMachine, _ device: UUID) async {
        await radio.setReconnectionHandler { [self] _, stream in reconnected(stream) }
        await radio.setDisconnectionHandler { [self] _, error in
            end("the radio disconnected: \(error as Any)")
        }
        do {
            let stream = try await radio.connect(to: device)
            context.post { [self] in connected(stream) }
        } catch {
            context.post { [self] in end("\(error)") }
        }
    }

    private func connected(_ stream: AsyncStream<Data>) {
        self.stream = stream
        play(Self.warmUp) { [self] in
            start("before") { [self] in
                play(drops) { [self] in check("behind \(drops) drops", then: send) }
            }
        }
    }

    // MARK: Drops

    private func play(_ count: Int, then: @escaping () -> Void) {
        remaining = count
        completion = then
        dropLink()
    }

    private func dropLink() {
        // Each connection stays up for a while, as most do.
        wait(.seconds(10)) { [self] in
            guard remaining > 0 else { return completion() }
            remaining -= 1
            system?.world?.device(Self.address)?.dropLink()
        }
    }

    private func reconnected(_ stream: AsyncStream<Data>) {
        self.stream = stream
        dropLink()
    }

    // MARK: Values without a reader

    private func send() {
        send(Self.remembered) { [self] in
            start("after the first \(Self.remembered) values") { [self] in
                send(values) { [self] in check("behind \(values) more", then: count) }
            }
        }
    }

    private func send(_ count: Int, then: @escaping () -> Void) {
        guard count > 0, let device = system?.world?.device(Self.address) else {
            return wait(.seconds(1), then)
        }
        let portion = min(Self.portion, count)
        for number in 0..<portion { device.send([UInt8(number & 255), 1, 2, 3], on: Self.rx) }
        wait(.milliseconds(100)) { [self] in send(count - portion, then: then) }
    }

    private func count() {
        guard let radio else { return }
        Task {
            let lost = await radio.droppedValueCount
            context.post { [self] in
                lines.append("lost: \(lost)")
                let expected = Self.remembered + values - Self.bufferedCount
                if lost != expected { faults.append("\(lost) values were lost, not \(expected)") }
                end(nil)
            }
        }
    }

    // MARK: Counting

    private func wait(_ time: Duration, _ then: @escaping () -> Void) {
        timer = context.makeClock().schedule(after: time, then)
    }

    private func takeInventory(_ then: @escaping (ResourceCount) -> Void) {
        let call = MethodCall(
            to: "org.freedesktop.DBus",
            at: "/org/freedesktop/DBus",
            "org.freedesktop.DBus.Debug.Stats",
            "GetStats",
            []
        )
        control?.call(call, timeout: .seconds(30)) { result in
            let stats = (try? result.get().first?.namedValues) ?? [:]
            then(ResourceCount(rules: stats["MatchRules"]?.integer ?? -1))
        }
    }

    /// Records the inventory that later checks must find again.
    private func start(_ when: String, then: @escaping () -> Void) {
        takeInventory { [self] inventory in
            before = inventory
            lines.append("\(when): \(inventory)")
            then()
        }
    }

    private func check(_ when: String, then: @escaping () -> Void) {
        takeInventory { [self] inventory in
            lines.append("\(when): \(inventory)")
            if inventory.rules < 0 { faults.append("the bus does not count match rules") }
            if let before { faults += inventory.more(than: before).map { "\(when): \($0)" } }
            then()
        }
    }

    private func end(_ fault: String?) {
        guard !isEnded else { return }
        isEnded = true
        if let fault { faults.append(fault) }
        withExtendedLifetime(stream) {}
        control?.close()
        system?.endNow()
        context.quit()
    }
}
