import BluejayDBus
import BluejayGATTServer
import BluejayGLib
import BluejaySimulator
import Foundation
import TestSupport

/// The server, its BlueZ and the two centrals, all on the main loop.
final class Cycles {
    private let count: Int
    private let context = MainLoop.main.context
    private var system: SimulatedSystem?
    private var server: GATTServer?
    private var control: BusConnection?
    private let characteristic = LocalCharacteristic(
        uuid: BluetoothUUID(uint16: 0x2A37),
        properties: .notify
    )
    private var before: ResourceCount?
    private var subscriptions = 0
    private var connections = 0
    private(set) var lines: [String] = []
    private(set) var faults: [String] = []

    /// The cycles until the runtime, the bus and the containers reach their final size, and the first time
    /// limits, one minute of virtual time, have passed.
    private static let warmUp = 2_000

    init(_ count: Int) {
        self.count = count
    }

    /// Runs until the counts are complete.
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
        let server = GATTServer(adapter: "hci0", busAddress: system.busAddress)
        self.server = server
        characteristic.onSubscriptionChange = { [weak self] in self?.subscriptions += $0 ? 1 : -1 }
        server.onConnectionChange = { [weak self] _, isConnected in
            self?.connections += isConnected ? 1 : 0
        }
        do {
            control = try BusConnection(.address(system.busAddress), on: context)
        } catch {
            return end("\(error)")
        }
        server.start()
        let uuid = BluetoothUUID(uint16: 0x180D)
        server.add(LocalService(uuid: uuid, characteristics: [characteristic])) {
            [weak self] result in
            if case .failure(let error) = result { self?.end("\(error)") }
        }
        server.startAdvertising(LocalAdvertisement(serviceUUIDs: [uuid])) { [weak self] result in
            switch result {
            case .success: self?.makeCentrals()
            case .failure(let error): self?.end("\(error)")
            }
        }
    }

    private func makeCentrals() {
        for number in 1...2 {
            system?.world?.add(SimulatedCentral(address: "C0:FF:EE:00:00:0\(number)"))
        }
        play(Self.warmUp) { [weak self] in
            self?.takeInventory { self?.start(with: $0) }
        }
    }

    private func start(with inventory: ResourceCount) {
        before = inventory
        lines.append("before: \(inventory)")
        connections = 0
        play(count) { [weak self] in self?.takeInventory { self?.finish($0) } }
    }

    /// Lets both centrals connect and leave, this many times in total.
    private func play(_ count: Int, then: @escaping () -> Void) {
        var remaining = 2
        for (number, central) in (system?.world?.centrals ?? []).enumerated() {
            let times = (count + number) / 2
            let cycle: [CentralStep] = [.connect, .subscribe("2A37"), .disconnect]
            central.play([.repeat(cycle, times: times)]) { [weak self] report in
                if report.failureCount > 0 {
                    self?.faults.append("\(report.failureCount) steps failed")
                }
                remaining -= 1
                if remaining == 0 { then() }
            }
        }
    }

    private func takeInventory(_ then: @escaping (ResourceCount) -> Void) {
        // Wait for the last signals.
        timer = context.makeClock().schedule(after: .seconds(1)) { [weak self] in
            let call = MethodCall(
                to: "org.freedesktop.DBus",
                at: "/org/freedesktop/DBus",
                "org.freedesktop.DBus.Debug.Stats",
                "GetStats",
                []
            )
            self?.control?.call(call, timeout: .seconds(30)) { result in
                let stats = (try? result.get().first?.namedValues) ?? [:]
                then(ResourceCount(rules: stats["MatchRules"]?.integer ?? -1))
            }
        }
    }
    private var timer: ScheduledTimer?

    private func finish(_ inventory: ResourceCount) {
        lines.append("behind \(count): \(inventory)")
        if let before { faults += inventory.more(than: before) }
        if inventory.rules < 0 { faults.append("the bus does not count match rules") }
        if connections != count { faults.append("the server reported \(connections) connections") }
        if subscriptions != 0 || characteristic.isSubscribed {
            faults.append("\(subscriptions) subscriptions remain")
        }
        if server?.connectedDevices.isEmpty == false { faults.append("a central remains") }
        end(nil)
    }

    private func end(_ fault: String?) {
        if let fault { faults.append(fault) }
        control?.close()
        system?.endNow()
        context.quit()
    }
}
