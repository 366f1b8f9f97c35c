internal import BluejayDBus
internal import Foundation

/// The real BlueZ, inside the machine: hci0 is bluetoothd's, hci1 is for the peripheral.
///
/// There is one, so that scenarios play on it one after the other. Each begins with a bluetoothd that
/// runs, an hci0 that is on, and no device known to it.
package final class RealStage: DaemonStage {
    let daemon: RealDaemon
    private static let player = Player()

    package init() async throws {
        guard !RealDaemon.isInTheAir else {
            throw StageFailure("this is the half of the suite for many: see Tests/RealBlueZ/suite")
        }
        daemon = try await RealDaemon()
        try await daemon.restore { [daemon] in try await daemon.control("plug") }
        try await daemon.forgetDevices()
    }

    package func add(_ script: PeripheralScript) async throws -> any StagedPeripheral {
        try await Self.player.play(script)
    }

    package func addCentral(named name: String) async throws -> any StagedCentral {
        throw StageFailure("the machine has one controller for peripherals, and none for centrals")
    }

    package func unplug() async throws {
        try await daemon.control("unplug")
        await Self.player.loseController()
    }

    package func plug() async throws {
        try await daemon.control("plug")
        try await daemon.control("wait-adapters", "2", "20")
    }

    package func freeSecondAdapter() async throws {
        await Self.player.loseController()
        try await daemon.control("wait-adapters", "2", "20")
        try await daemon.forgetDevices()
    }

    package func end() async {
        await Self.player.endScenario()
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
