internal import BluejayDBus
internal import Foundation

/// The real BlueZ inside the machine: hci0 belongs to bluetoothd, hci1 is for the peripheral.
///
/// Only one such testbed exists, so the scenarios run one after the other. Each starts with a running
/// bluetoothd, a powered hci0, and no known device.
package final class RealTestbed: DaemonTestbed {
    let daemon: RealDaemon
    private static let peripheralProcess = PeripheralProcess()

    package init() async throws {
        guard !RealDaemon.isInTheAir else {
            throw TestbedError("this part of the suite has a crowd: see Tests/RealBlueZ/suite")
        }
        daemon = try await RealDaemon()
        try await daemon.restore { [daemon] in try await daemon.control("plug") }
        try await daemon.forgetDevices()
    }

    package func add(_ script: PeripheralScript) async throws -> any TestbedPeripheral {
        try await Self.peripheralProcess.play(script)
    }

    package func addCentral(named name: String) async throws -> any TestbedCentral {
        throw TestbedError("the machine has one controller for peripherals, and none for centrals")
    }

    package func unplug() async throws {
        try await daemon.control("unplug")
        await Self.peripheralProcess.loseController()
    }

    package func plug() async throws {
        try await daemon.control("plug")
        try await daemon.control("wait-adapters", "2", "20")
    }

    package func freeSecondAdapter() async throws {
        await Self.peripheralProcess.loseController()
        try await daemon.control("wait-adapters", "2", "20")
        try await daemon.forgetDevices()
    }

    package func end() async {
        await Self.peripheralProcess.endScenario()
    }
}

/// The process of the peripheral, shared by the scenarios because it takes seconds to start.
private actor PeripheralProcess {
    private var peripheral: BumblePeripheral?
    private var isPlaying = false

    func play(_ script: PeripheralScript) async throws -> BumblePeripheral {
        guard !isPlaying else {
            throw TestbedError("the machine has one controller for peripherals")
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

    /// Ends the advertisement until the next scenario.
    func endScenario() async {
        try? await peripheral?.leaveRange()
        isPlaying = false
    }

    /// Ends the process, whose controller is gone.
    func loseController() async {
        await peripheral?.kill()
        peripheral = nil
        isPlaying = false
    }
}
