package import BluejaySimulator

/// The simulated BlueZ, with waits of a tenth of the real ones.
package final class SimulatedTestbed: Testbed {
    package let system: SimulatedSystem
    private let options: SimulatorOptions
    private let centrals = SecondaryCentralPool()

    package init(_ kind: TestbedKind = .singlePeer) async throws {
        var options = SimulatorOptions()
        options.timeScale = 0.1
        guard let version = SimulatedBlueZVersion(rawValue: blueZVersion) else {
            throw TestbedError("no simulated BlueZ \(blueZVersion)")
        }
        options.version = version
        if kind != .singlePeer { options.adapters = 1 + SecondaryCentralPool.maximumCount }
        if kind == .multiplePeersExtended { options.controller = .extended }
        self.options = options
        system = try await SimulatedSystem.start(options)
    }

    package var busAddress: String { system.busAddress }
    package var ownConnection: String? { nil }

    package func add(_ script: PeripheralScript) async throws -> any TestbedPeripheral {
        await system.perform { $0.add(script.simulated) }
        return SimulatedPeripheral(script.address, in: system)
    }

    package func addCentral(named name: String) async throws -> any TestbedCentral {
        guard options.adapters > 2, let adapter = await centrals.nextAdapter() else {
            throw TestbedError("no adapter for \(name)")
        }
        let central = await SecondaryCentral(
            in: system,
            adapter: adapter,
            to: "00:AA:01:00:00:00"
        )
        await centrals.add(central)
        return central
    }

    package func setPowered(_ isPowered: Bool) async throws {
        await withCheckedContinuation { continuation in
            Task { [system] in
                await system.perform { world in
                    world.setPowered(isPowered, ofAdapter: 0) { continuation.resume() }
                }
            }
        }
    }

    package func setBlocked(_ isBlocked: Bool) async throws {
        await system.perform { $0.setBlocked(isBlocked) }
    }

    package func endDaemon(politely: Bool) async throws {
        if politely { await system.terminateDaemon() } else { await system.killDaemon() }
    }

    package func startDaemon() async throws {
        try await system.startDaemon(options)
    }

    package func unplug() async throws {
        await system.perform { world in
            for number in 0..<world.options.adapters { world.unplug(adapter: number) }
        }
    }

    package func plug() async throws {
        await system.perform { world in
            for number in 0..<world.options.adapters { world.apply(.adapterPlugged(number)) }
        }
    }

    package func freeSecondAdapter() async throws {}

    package func end() async {
        system.stop()
    }
}

/// The foreign centrals of a testbed: a `Bluejay` that is released leaves its peripheral.
private actor SecondaryCentralPool {
    static let maximumCount = 4
    private var used = 0
    private var centrals: [SecondaryCentral] = []

    func nextAdapter() -> Int? {
        guard used < Self.maximumCount else { return nil }
        used += 1
        return used
    }

    func add(_ central: SecondaryCentral) { centrals.append(central) }
}

extension ScenarioContext {
    /// Uses a function of the simulated BlueZ, in a scenario that the real one does not run.
    package func simulate(_ work: @escaping @Sendable (SimulatedBlueZ) -> Void) async throws {
        guard let testbed = testbed as? SimulatedTestbed else {
            throw TestbedError("only the simulated BlueZ can do this")
        }
        await testbed.system.perform(work)
    }
}

private final class SimulatedPeripheral: TestbedPeripheral {
    private let address: String
    private let system: SimulatedSystem

    init(_ address: String, in system: SimulatedSystem) {
        self.address = address
        self.system = system
    }

    private func perform(_ work: @escaping @Sendable (SimulatedDevice) -> Void) async {
        await system.perform { [address] world in
            if let device = world.device(address) { work(device) }
        }
    }

    func send(_ value: [UInt8], on characteristic: String) async throws {
        await perform { $0.send(value, on: characteristic) }
    }
    func dropLink() async throws { await perform { $0.dropLink() } }
    func leaveRange() async throws { await perform { $0.leaveRange() } }
    func returnToRange() async throws { await perform { $0.returnToRange() } }
    func stopResponding() async throws { await perform { $0.stopResponding() } }
    func setStrength(_ rssi: Int8) async throws {
        await perform { $0.setSignalStrength(Int16(rssi)) }
    }
    func setPairing(_ accepts: Bool) async throws { await perform { $0.acceptsPairing = accepts } }

    func addService(_ service: PeripheralScript.Service) async throws {
        await perform { $0.addService(service.uuid, service.characteristics) }
    }
    func removeService(_ uuid: String) async throws {
        await perform { $0.removeService(uuid) }
    }

    func isConnected() async throws -> Bool {
        await system.read { [address] in $0.device(address)?.isConnected ?? false } ?? false
    }

    func reads() async throws -> [String] {
        let reads = await system.read { [address] world in world.device(address)?.reads }
        return ((reads ?? nil) ?? []).map(shortUUID)
    }

    func writes() async throws -> [String] {
        let writes = await system.read { [address] world in
            world.device(address)?.writes.map {
                "\(shortUUID($0.characteristic)) \(hexadecimal($0.value))"
            }
        }
        return (writes ?? nil) ?? []
    }
}

/// Returns the four characters of a UUID that the Bluetooth SIG assigned; other UUIDs in full.
package func shortUUID(_ uuid: String) -> String {
    let isAssigned = uuid.count == 36 && uuid.lowercased().hasSuffix("-0000-1000-8000-00805f9b34fb")
    return isAssigned ? String(uuid.dropFirst(4).prefix(4)).uppercased() : uuid.uppercased()
}

/// Returns bytes in the notation of a testbed: `00 3c`.
package func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
}

package struct TestbedError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
