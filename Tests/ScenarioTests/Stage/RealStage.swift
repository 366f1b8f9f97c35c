import BluejayDBus
import Foundation

/// The real BlueZ, inside the machine: hci0 is bluetoothd's, hci1 and hci2 are for peripherals.
///
/// There is one, so that scenarios play on it one after the other. Each begins with a bluetoothd that
/// runs, an hci0 that is on, and no device known to it.
final class RealStage: Stage {
    let busAddress: String
    private let bus: StageBus
    private static let players = Players()

    init() async throws {
        guard let address = ProcessInfo.processInfo.environment["DBUS_SYSTEM_BUS_ADDRESS"] else {
            throw StageFailure("DBUS_SYSTEM_BUS_ADDRESS is not set; use ./Tests/RealBlueZ/run")
        }
        busAddress = address
        bus = try await StageBus(address)
        try await restore()
        try await forgetDevices()
    }

    /// Mends what a scenario left behind that ended half-way.
    private func restore() async throws {
        if try await !bus.hasOwner("org.bluez") { try await control("start-bluetoothd") }
        if try await bus.objects().contains("/org/bluez/hci0") == false {
            try await control("plug")
        } else {
            try await control("power", "hci0", "on")
        }
        try await control("wait-adapters", "1", "20")
    }

    private func forgetDevices() async throws {
        let prefix = "/org/bluez/hci0/dev_"
        for path in try await bus.objects() where path.hasPrefix(prefix) {
            guard !path.dropFirst(prefix.count).contains("/"), let device = ObjectPath(path) else {
                continue
            }
            // It may go by itself meanwhile.
            _ = try? await bus.call(
                "/org/bluez/hci0",
                "org.bluez.Adapter1",
                "RemoveDevice",
                [.objectPath(device)]
            )
        }
    }

    func add(_ script: PeripheralScript) async throws -> any StagedPeripheral {
        try await Self.players.play(script)
    }

    func setPowered(_ isPowered: Bool) async throws {
        try await control("power", "hci0", isPowered ? "on" : "off")
    }

    func endDaemon(politely: Bool) async throws {
        try await control("kill-bluetoothd", politely ? "TERM" : "KILL")
    }

    func startDaemon() async throws {
        try await control("start-bluetoothd")
        try await control("wait-adapters", "1", "20")
    }

    func unplug() async throws {
        try await control("unplug")
        await Self.players.loseControllers()
    }

    func plug() async throws {
        try await control("plug")
        try await control("wait-adapters", "3", "20")
    }

    func end() async {
        await Self.players.endScenario()
    }

    var ownConnection: String? {
        get async { await bus.uniqueName() }
    }

    private func control(_ arguments: String...) async throws {
        try await runCommand(["bluez-control"] + arguments)
    }
}

/// The processes that play peripherals, one for each controller; they play one scenario after the
/// other, because their start takes seconds.
private actor Players {
    private static let transports = ["hci-socket:1", "hci-socket:2"]
    private var all: [BumblePeripheral] = []
    private var playing = 0

    func play(_ script: PeripheralScript) async throws -> BumblePeripheral {
        guard playing < Self.transports.count else {
            throw StageFailure("the machine has no controller for one more peripheral")
        }
        playing += 1
        if all.count >= playing {
            try await all[playing - 1].play(script)
            return all[playing - 1]
        }
        let peripheral = try await BumblePeripheral(
            script,
            transport: Self.transports[playing - 1]
        )
        all.append(peripheral)
        return peripheral
    }

    /// None is on the air until it plays again.
    func endScenario() async {
        for peripheral in all.prefix(playing) { try? await peripheral.goAway() }
        playing = 0
    }

    /// Their controllers are gone, and they with them.
    func loseControllers() async {
        for peripheral in all { await peripheral.kill() }
        all = []
        playing = 0
    }
}
