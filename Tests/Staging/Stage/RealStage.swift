internal import BluejayDBus
internal import Foundation

/// The real BlueZ, inside the machine: hci0 is bluetoothd's, hci1 is for the peripheral.
///
/// There is one, so that scenarios play on it one after the other. Each begins with a bluetoothd that
/// runs, an hci0 that is on, and no device known to it.
package final class RealStage: Stage {
    package let busAddress: String
    private let bus: StageBus
    private static let player = Player()

    package init() async throws {
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
        try await control("rfkill", "unblock")
        if try await !bus.hasOwner("org.bluez") { try await control("start-bluetoothd") }
        if try await bus.objects().contains("/org/bluez/hci0") == false {
            try await control("plug")
        } else {
            try await control("power", "hci0", "on")
        }
        try await control("wait-adapters", "1", "20")
    }

    // Of all adapters: a bond that only one end has kept breaks each link between them.
    private func forgetDevices() async throws {
        for path in try await bus.objects() {
            let words = path.split(separator: "/")
            guard words.count == 4, words[3].hasPrefix("dev_"), let device = ObjectPath(path),
                let adapter = ObjectPath("/org/bluez/\(words[2])")
            else { continue }
            // It may go by itself meanwhile.
            _ = try? await bus.call(
                adapter,
                "org.bluez.Adapter1",
                "RemoveDevice",
                [.objectPath(device)]
            )
        }
    }

    package func add(_ script: PeripheralScript) async throws -> any StagedPeripheral {
        try await Self.player.play(script)
    }

    package func setPowered(_ isPowered: Bool) async throws {
        try await control("power", "hci0", isPowered ? "on" : "off")
    }

    package func setBlocked(_ isBlocked: Bool) async throws {
        try await control("rfkill", isBlocked ? "block" : "unblock")
    }

    package func endDaemon(politely: Bool) async throws {
        try await control("kill-bluetoothd", politely ? "TERM" : "KILL")
    }

    package func startDaemon() async throws {
        try await control("start-bluetoothd")
        try await control("wait-adapters", "1", "20")
    }

    package func unplug() async throws {
        try await control("unplug")
        await Self.player.loseController()
    }

    package func plug() async throws {
        try await control("plug")
        try await control("wait-adapters", "2", "20")
    }

    package func freeSecondAdapter() async throws {
        await Self.player.loseController()
        try await control("wait-adapters", "2", "20")
        try await forgetDevices()
    }

    package func end() async {
        await Self.player.endScenario()
    }

    package var ownConnection: String? {
        get async { await bus.uniqueName() }
    }

    private func control(_ arguments: String...) async throws {
        try await runCommand(["bluez-control"] + arguments)
    }
}

/// The process that plays the peripheral of one scenario after the other: its start takes seconds.
private actor Player {
    private var peripheral: BumblePeripheral?
    private var isPlaying = false

    func play(_ script: PeripheralScript) async throws -> BumblePeripheral {
        guard !isPlaying else {
            throw StageFailure("the machine has one controller for peripherals")
        }
        isPlaying = true
        if let peripheral {
            try await peripheral.play(script)
            return peripheral
        }
        let peripheral = try await BumblePeripheral(script, transport: "hci-socket:1")
        self.peripheral = peripheral
        return peripheral
    }

    /// Is not on the air until it plays again.
    func endScenario() async {
        try? await peripheral?.goAway()
        isPlaying = false
    }

    /// Its controller is gone, and it with that.
    func loseController() async {
        await peripheral?.kill()
        peripheral = nil
        isPlaying = false
    }
}
