/// The real BlueZ inside the machine, in an air simulated by bumble: hci0 belongs to bluetoothd, and one
/// process plays all other devices as well as the controller of hci0.
///
/// Each scenario starts with a running bluetoothd, a powered hci0, no known device, and an empty air.
package final class BumbleTestbed: DaemonTestbed {
    let daemon: RealDaemon
    private let isExtended: Bool
    private static let process = BumbleProcess()

    package init(isExtended: Bool) async throws {
        guard RealDaemon.isInTheAir else {
            throw TestbedError("this part of the suite has no crowd: see Tests/RealBlueZ/suite")
        }
        self.isExtended = isExtended
        daemon = try await RealDaemon()
        try await Self.process.start(isExtended: isExtended)
        // The controller exists, but bluetoothd may not have detected it yet.
        try await daemon.restore { [daemon] in try await daemon.waitForAdapter() }
        try await daemon.forgetDevices()
    }

    package func add(_ script: PeripheralScript) async throws -> any TestbedPeripheral {
        try await BumblePeripheral(script, in: Self.process.process())
    }

    package func addCentral(named name: String) async throws -> any TestbedCentral {
        let address = await Self.process.nextAddress()
        return try await BumbleCentral(address, named: name, in: Self.process.process())
    }

    /// Adds a device that the script of another product plays.
    func addDevice<Member: AnyObject>(
        _ make: (PeerProcess) async throws -> Member
    ) async throws -> Member {
        try await make(Self.process.process())
    }

    package func unplug() async throws {
        try await Self.process.stop()
    }

    package func plug() async throws {
        try await Self.process.start(isExtended: isExtended)
        try await daemon.waitForAdapter()
    }

    package func freeSecondAdapter() async throws {
        throw TestbedError("the testbed has no second adapter")
    }

    package func end() async {
        await Self.process.endScenario()
    }
}

/// The process of the controller, shared by the scenarios because it takes seconds to start.
private actor BumbleProcess {
    private var running: (process: PeerProcess, isExtended: Bool)?
    private var centrals = 0

    func process() throws -> PeerProcess {
        guard let running else { throw TestbedError("the controller is unplugged") }
        return running.process
    }

    /// Returns a new address for each central, so that none is mistaken for one of an earlier scenario.
    func nextAddress() -> String {
        centrals += 1
        let low = String(centrals, radix: 16, uppercase: true)
        return "F0:00:00:00:00:\(low.count < 2 ? "0" : "")\(low)"
    }

    func start(isExtended: Bool) async throws {
        if let running, running.isExtended == isExtended {
            // A process that has died must not fail the following scenarios.
            if (try? await running.process.order("clear")) != nil { return }
            self.running = nil
        }
        try await stop()
        let arguments = isExtended ? ["--extended-advertising"] : []
        let process = try await PeerProcess("bumble_air.py", arguments)
        running = (process, isExtended)
    }

    func stop() async throws {
        try await running?.process.stop()
        running = nil
    }

    /// Removes all devices from the air.
    func endScenario() async {
        _ = try? await running?.process.order("clear")
    }
}
