package import Bluejay
internal import BluejaySimulator
internal import Foundation
internal import TestSupport
internal import Testing

/// The environment of a scenario: the simulated BlueZ, or the real one in the machine of `Tests/RealBlueZ`.
///
/// A scenario is written once for both, so this protocol has the common functions only.
package protocol Testbed: AnyObject, Swift.Sendable {
    var busAddress: String { get }
    /// The unique name of the testbed's own connection, if it has one.
    var ownConnection: String? { get async }
    /// Adds an advertising peripheral; only one at a time unless the ``TestbedKind`` is a crowd.
    func add(_ script: PeripheralScript) async throws -> any TestbedPeripheral
    /// Adds a foreign central, which stays until it leaves or the testbed ends; only if the ``TestbedKind`` is a
    /// crowd.
    func addCentral(named name: String) async throws -> any TestbedCentral
    /// Switches hci0 on or off, as a program other than the one under test.
    func setPowered(_ isPowered: Bool) async throws
    /// Blocks all adapters as airplane mode does, or unblocks them.
    func setBlocked(_ isBlocked: Bool) async throws
    /// Ends bluetoothd, by SIGKILL or politely by SIGTERM.
    func endDaemon(politely: Bool) async throws
    /// Starts bluetoothd again; returns when its adapters exist.
    func startDaemon() async throws
    /// Removes the controllers, and with them the peripheral.
    func unplug() async throws
    /// Returns the controllers.
    func plug() async throws
    /// Reserves hci1 for a peripheral that uses bluetoothd.
    func freeSecondAdapter() async throws
    /// Removes all traces before the next scenario.
    func end() async
}

package protocol TestbedPeripheral: AnyObject, Swift.Sendable {
    func send(_ value: [UInt8], on characteristic: String) async throws
    func dropLink() async throws
    /// Ends the link and the advertisement.
    func leaveRange() async throws
    func returnToRange() async throws
    /// Stops answering, while the link stays up.
    func stopResponding() async throws
    /// Adds a service and notifies a connected central.
    func addService(_ service: PeripheralScript.Service) async throws
    /// Removes a service and notifies a connected central.
    func removeService(_ uuid: String) async throws
    /// Sets its signal strength in dBm; only if the ``TestbedKind`` is a crowd.
    func setStrength(_ rssi: Int8) async throws
    func setPairing(_ accepts: Bool) async throws
    func isConnected() async throws -> Bool
    /// The characteristics that were read, in order, each as `2A38`.
    func reads() async throws -> [String]
    /// The values that were written, in order, each as `2A39 01`.
    func writes() async throws -> [String]
}

/// The participants of a testbed in addition to the program under test.
///
/// The machine of `Tests/RealBlueZ` has two kinds of controllers, so each suite has one kind; the name of a
/// suite whose kind is not `singlePeer` ends in `CrowdScenarios`.
package enum TestbedKind: Swift.Sendable {
    /// hci0, and one peripheral on hci1.
    case singlePeer
    /// hci0, and any number of peripherals and centrals.
    case multiplePeers
    /// The same as a crowd, with Extended Advertising on hci0.
    case multiplePeersExtended
}

/// Whether this run uses the real BlueZ.
///
/// The machine sets `BLUEJAY_STAGE=real`; any other value, or none, selects the simulated BlueZ.
package let isRealBlueZ = ProcessInfo.processInfo.environment["BLUEJAY_STAGE"] == "real"

/// The version of BlueZ in this run, such as `5.66`.
///
/// The machine sets `BLUEJAY_BLUEZ` to the version of the real one. For the simulated BlueZ, the variable
/// selects the version of the scenarios.
package let blueZVersion = ProcessInfo.processInfo.environment["BLUEJAY_BLUEZ"] ?? "5.66"

/// A `Bluejay`, and a peripheral that it has discovered.
package struct DiscoveredPeripheral {
    package let central: RecordingCentral
    package let peripheral: any TestbedPeripheral
    package let identifier: PeripheralIdentifier

    package init(
        central: RecordingCentral,
        peripheral: any TestbedPeripheral,
        identifier: PeripheralIdentifier
    ) {
        self.central = central
        self.peripheral = peripheral
        self.identifier = identifier
    }
}

/// The testbed of a scenario, with the objects that the scenario adds to it.
package final class ScenarioContext: Swift.Sendable {
    package let testbed: any Testbed
    private let retainedObjects = RetainedObjects()

    package init(_ testbed: any Testbed) { self.testbed = testbed }

    /// Returns a `Bluejay` on this testbed, which lives as long as the context.
    package func central(
        adapter: String? = nil,
        sharing other: RecordingCentral? = nil,
        reconnects: Bool = false
    ) async -> RecordingCentral {
        let central = await RecordingCentral(
            testbed.busAddress,
            adapter: adapter,
            sharing: other?.loop,
            reconnects: reconnects
        )
        await retainedObjects.retain(central)
        return central
    }

    /// Returns a `Bluejay` whose Bluetooth is available, with an empty record.
    package func availableCentral(adapter: String? = nil, reconnects: Bool = false) async
        -> RecordingCentral
    {
        let central = await central(adapter: adapter, reconnects: reconnects)
        await central.wait(for: "available")
        await central.forget()
        return central
    }

    /// Returns a `Bluejay` that has discovered a peripheral.
    package func found(_ script: PeripheralScript, reconnects: Bool = false) async throws
        -> DiscoveredPeripheral
    {
        let peripheral = try await testbed.add(script)
        let central = await central(adapter: "hci0", reconnects: reconnects)
        let identifier = try await central.find()
        return DiscoveredPeripheral(
            central: central,
            peripheral: peripheral,
            identifier: identifier
        )
    }

    /// Returns a `Bluejay` that reconnects, with a discovered peripheral that is now out of range.
    package func foundThenOutOfRange(_ script: PeripheralScript) async throws
        -> DiscoveredPeripheral
    {
        let found = try await found(script, reconnects: true)
        try await found.peripheral.leaveRange()
        return found
    }

    /// Returns a `Bluejay` that is connected to a peripheral.
    package func connected(
        to script: PeripheralScript,
        reconnects: Bool = false
    ) async throws -> DiscoveredPeripheral {
        let found = try await found(script, reconnects: reconnects)
        try await found.central.connect(found.identifier)
        return found
    }

    /// Returns a peripheral of `Tests/ExternalPeers` on hci1, which ends with the context.
    package func peerProcess(_ program: String) async throws -> PeerProcess {
        try await testbed.freeSecondAdapter()
        let process = try await PeerProcess(
            program,
            ["--adapter", "hci1"],
            bus: testbed.busAddress
        )
        await retainedObjects.retain(process)
        return process
    }

    /// Accepts every pairing until the end of the context.
    @discardableResult
    package func agreeToPairing() async throws -> OtherProgramsAgent {
        let agent = try await OtherProgramsAgent(testbed.busAddress)
        await retainedObjects.retain(agent, connection: await agent.connectionName())
        return agent
    }

    /// Returns the L2CAP channels of a device in the air; throws on the simulated BlueZ.
    package func channels(of peripheral: any TestbedPeripheral) throws -> any TestbedChannels {
        guard let peripheral = peripheral as? BumblePeripheral else {
            throw TestbedError("only bumble's peripherals have channels")
        }
        return peripheral.channels
    }

    /// Returns the L2CAP channels of a device in the air; throws on the simulated BlueZ.
    package func channels(of central: any TestbedCentral) throws -> any TestbedChannels {
        guard let central = central as? BumbleCentral else {
            throw TestbedError("only bumble's centrals have channels")
        }
        return central.channels
    }

    /// Returns the connections other than those of the clients under test.
    package func ownConnections() async -> Set<String> {
        var names = await retainedObjects.connections
        if let name = await testbed.ownConnection { names.insert(name) }
        return names
    }

    fileprivate func end() async {
        await retainedObjects.endProcesses()
        await retainedObjects.release()
        await testbed.end()
    }
}

private actor RetainedObjects {
    private var all: [any AnyObject & Swift.Sendable] = []
    private(set) var connections: Set<String> = []

    func retain(_ one: any AnyObject & Swift.Sendable, connection: String? = nil) {
        all.append(one)
        if let connection { connections.insert(connection) }
    }

    func endProcesses() async {
        for case let process as PeerProcess in all { await process.kill() }
    }

    /// Releases the centrals: those of one scenario must not connect to the peripheral of the next one.
    func release() async {
        for case let central as RecordingCentral in all {
            await central.run { central in
                // The held objects may retain the central.
                central.retainedObjects = []
                central.bluejay.unregisterDisconnectHandler()
                central.bluejay.reconnectOptions.maximumAttempts = 0
            }
        }
        all = []
    }
}

/// Runs a scenario on the testbed of this run, and checks its trace on the bus.
///
/// - Parameters:
///   - function: The test, which gives the trace its name.
///   - file: The file of the test.
///   - variant: Distinguishes the cases of one test.
///   - kind: The participants; concurrent actions of a crowd have no order and are not recorded.
///   - isRecorded: Whether a recording of the real BlueZ exists; false if it cannot run the scenario.
///   - play: The scenario.
/// - Throws: The error of the scenario, or ``TestbedError``.
package func withTestbed(
    _ function: String = #function,
    file: String = #fileID,
    variant: String? = nil,
    on kind: TestbedKind = .singlePeer,
    isRecorded: Bool = true,
    _ play: (ScenarioContext) async throws -> Void
) async throws {
    let slot = await BusSlot.acquire()
    defer { withExtendedLifetime(slot) {} }
    let testbed = try await makeTestbed(kind)
    let context = ScenarioContext(testbed)
    let test = String(file.split(separator: "/").last?.dropLast(".swift".count) ?? "")
    let name = ([test, function] + (variant.map { [$0] } ?? [])).joined(separator: " ")
    let recording =
        isRecorded && kind == .singlePeer ? try await ScenarioRecording(name, of: context) : nil
    do {
        try await play(context)
        try await recording?.finish()
    } catch {
        try? await recording?.cancel()
        await context.end()
        throw error
    }
    await context.end()
}

private func makeTestbed(_ kind: TestbedKind) async throws -> any Testbed {
    guard isRealBlueZ else { return try await SimulatedTestbed(kind) }
    guard kind == .singlePeer else {
        return try await BumbleTestbed(isExtended: kind == .multiplePeersExtended)
    }
    return try await RealTestbed()
}
