package import Bluejay
internal import BluejaySimulator
internal import Foundation
internal import TestSupport
internal import Testing

/// Where a scenario plays: the simulated BlueZ, or the real one in the machine of `Tests/RealBlueZ`.
///
/// A scenario is written once, in words that both understand. What only one of them can do is not
/// here.
package protocol Stage: AnyObject, Swift.Sendable {
    /// The bus with `org.bluez` on it.
    var busAddress: String { get }
    /// The unique name of the stage's own connection; nil when it has none.
    var ownConnection: String? { get async }
    /// Puts a peripheral on the air; one at a time where ``StageKind`` is not a crowd.
    func add(_ script: PeripheralScript) async throws -> any StagedPeripheral
    /// Lets a foreign central into the air, which stays until it leaves or the stage ends; where
    /// ``StageKind`` is a crowd only.
    func addCentral(named name: String) async throws -> any StagedCentral
    /// Switches hci0 on or off, as somebody else than the program under test.
    func setPowered(_ isPowered: Bool) async throws
    /// Blocks all adapters as the airplane mode does, or lets them again.
    func setBlocked(_ isBlocked: Bool) async throws
    /// Ends bluetoothd, by SIGKILL or politely by SIGTERM.
    func endDaemon(politely: Bool) async throws
    /// Starts bluetoothd again; its adapters are there when this returns.
    func startDaemon() async throws
    /// Takes the controllers away; plays no peripheral any more.
    func unplug() async throws
    /// Gives the controllers back.
    func plug() async throws
    /// Leaves hci1 to a peripheral that is made of bluetoothd's.
    func freeSecondAdapter() async throws
    /// Leaves no trace for the next scenario.
    func end() async
}

/// A peripheral on a stage.
package protocol StagedPeripheral: AnyObject, Swift.Sendable {
    /// Sends a value to who listens.
    func send(_ value: [UInt8], on characteristic: String) async throws
    /// Ends the link from its side.
    func drop() async throws
    /// Ends the link and is not on the air any more.
    func goAway() async throws
    /// Is on the air again.
    func comeBack() async throws
    /// Answers nothing any more, while the link stays.
    func fallSilent() async throws
    /// Adds a service; a connected central is told.
    func addService(_ service: PeripheralScript.Service) async throws
    /// Removes a service; a connected central is told.
    func removeService(_ uuid: String) async throws
    /// How strong its signal is, in dBm; where ``StageKind`` is a crowd only.
    func setStrength(_ rssi: Int8) async throws
    /// Agrees to pair, or does not.
    func setPairing(_ accepts: Bool) async throws
    /// Whether a central is connected.
    func isConnected() async throws -> Bool
    /// Which characteristics were read, in order, each as `2A38`.
    func reads() async throws -> [String]
    /// What was written to it, in order, each as `2A39 01`.
    func writes() async throws -> [String]
}

/// Who can be on a stage beside the program under test.
///
/// The machine of `Tests/RealBlueZ` has two kinds of controllers, so that a suite is of one kind, and one
/// whose scenarios are not of the first has a name that ends in `CrowdScenarios`.
package enum StageKind: Swift.Sendable {
    /// hci0, and one peripheral on hci1.
    case pair
    /// hci0, and any number of peripherals and centrals.
    case crowd
    /// The same, and hci0 has Extended Advertising.
    case extendedCrowd
}

/// Which stage this run is for.
///
/// `BLUEJAY_STAGE=real` is set in the machine; anything else, and nothing, is the simulated BlueZ.
package let isRealBlueZ = ProcessInfo.processInfo.environment["BLUEJAY_STAGE"] == "real"

/// A `Bluejay`, and a peripheral that it has found.
package struct Encounter {
    package let central: Central
    package let peripheral: any StagedPeripheral
    package let identifier: PeripheralIdentifier

    package init(
        central: Central,
        peripheral: any StagedPeripheral,
        identifier: PeripheralIdentifier
    ) {
        self.central = central
        self.peripheral = peripheral
        self.identifier = identifier
    }
}

/// What a scenario gets: the stage, and what it put there.
package final class Scene: Swift.Sendable {
    package let stage: any Stage
    private let held = Held()

    package init(_ stage: any Stage) { self.stage = stage }

    /// A `Bluejay` on this stage, which lives as long as the scene.
    package func central(
        adapter: String? = nil,
        sharing other: Central? = nil,
        reconnects: Bool = false
    ) async -> Central {
        let central = await Central(
            stage.busAddress,
            adapter: adapter,
            sharing: other?.loop,
            reconnects: reconnects
        )
        await held.keep(central)
        return central
    }

    /// A `Bluejay` whose Bluetooth is available, with an empty record.
    package func availableCentral(adapter: String? = nil, reconnects: Bool = false) async -> Central
    {
        let central = await central(adapter: adapter, reconnects: reconnects)
        await central.wait(for: "available")
        await central.forget()
        return central
    }

    /// A `Bluejay` that has found a peripheral.
    package func found(_ script: PeripheralScript, reconnects: Bool = false) async throws
        -> Encounter
    {
        let peripheral = try await stage.add(script)
        let central = await central(adapter: "hci0", reconnects: reconnects)
        let identifier = try await central.find()
        return Encounter(central: central, peripheral: peripheral, identifier: identifier)
    }

    /// A `Bluejay` that has found a peripheral which is out of reach since then; it reconnects.
    package func foundAndGone(_ script: PeripheralScript) async throws -> Encounter {
        let found = try await found(script, reconnects: true)
        try await found.peripheral.goAway()
        return found
    }

    /// A `Bluejay` that has found a peripheral and is connected to it.
    package func connected(
        to script: PeripheralScript,
        reconnects: Bool = false
    ) async throws -> Encounter {
        let found = try await found(script, reconnects: reconnects)
        try await found.central.connect(found.identifier)
        return found
    }

    /// A peripheral of `Tests/ExternalPeers` on hci1, until the scene's end.
    package func stranger(_ program: String) async throws -> ForeignProcess {
        try await stage.freeSecondAdapter()
        let process = try await ForeignProcess(
            program,
            ["--adapter", "hci1"],
            bus: stage.busAddress
        )
        await held.keep(process)
        return process
    }

    /// Somebody who agrees to every pairing, until the scene's end.
    @discardableResult
    package func agreeToPairing() async throws -> OtherProgramsAgent {
        let agent = try await OtherProgramsAgent(stage.busAddress)
        await held.keep(agent, connection: await agent.connectionName())
        return agent
    }

    /// The L2CAP channels of a member of the air; the simulated BlueZ has none of them.
    package func channels(of peripheral: any StagedPeripheral) throws -> any StagedChannels {
        guard let peripheral = peripheral as? BumblePeripheral else {
            throw StageFailure("only bumble's peripherals have channels")
        }
        return peripheral.channels
    }

    /// The L2CAP channels of a member of the air; the simulated BlueZ has none of them.
    package func channels(of central: any StagedCentral) throws -> any StagedChannels {
        guard let central = central as? BumbleCentral else {
            throw StageFailure("only bumble's centrals have channels")
        }
        return central.channels
    }

    /// The connections that are no client under test.
    package func ownConnections() async -> Set<String> {
        var names = await held.connections
        if let name = await stage.ownConnection { names.insert(name) }
        return names
    }

    fileprivate func end() async {
        await held.endProcesses()
        await held.release()
        await stage.end()
    }
}

private actor Held {
    private var all: [any AnyObject & Swift.Sendable] = []
    private(set) var connections: Set<String> = []

    func keep(_ one: any AnyObject & Swift.Sendable, connection: String? = nil) {
        all.append(one)
        if let connection { connections.insert(connection) }
    }

    func endProcesses() async {
        for case let process as ForeignProcess in all { await process.kill() }
    }

    /// What a scenario leaves behind must not reach for the peripheral of the next one.
    func release() async {
        for case let central as Central in all {
            await central.run { central in
                // It may hold what holds it.
                central.held = []
                central.bluejay.unregisterDisconnectHandler()
                central.bluejay.reconnectOptions.limit = 0
            }
        }
        all = []
    }
}

/// Plays a scenario on the stage of this run, and looks at the trace it left on the bus.
///
/// - Parameters:
///   - function: The test, after which the trace is named.
///   - file: The file of the test.
///   - variant: What tells the cases of one test apart.
///   - kind: Who is on it; what many do at once has no order, and is not recorded.
///   - isRecorded: Whether the real BlueZ was recorded; false for what it cannot play.
///   - play: The scenario.
/// - Throws: What the scenario does, or ``StageFailure``.
package func onStage(
    _ function: String = #function,
    file: String = #fileID,
    variant: String? = nil,
    on kind: StageKind = .pair,
    isRecorded: Bool = true,
    _ play: (Scene) async throws -> Void
) async throws {
    let turn = await Turn.take()
    defer { withExtendedLifetime(turn) {} }
    let stage = try await makeStage(kind)
    let scene = Scene(stage)
    let test = String(file.split(separator: "/").last?.dropLast(".swift".count) ?? "")
    let name = ([test, function] + (variant.map { [$0] } ?? [])).joined(separator: " ")
    let recording = try await ScenarioRecording(
        name,
        of: scene,
        isRecorded: isRecorded && kind == .pair
    )
    do {
        try await play(scene)
        try await recording.finish()
    } catch {
        try? await recording.abandon()
        await scene.end()
        throw error
    }
    await scene.end()
}

private func makeStage(_ kind: StageKind) async throws -> any Stage {
    guard isRealBlueZ else { return try await SimulatedStage(kind) }
    guard kind == .pair else { return try await AirStage(isExtended: kind == .extendedCrowd) }
    return try await RealStage()
}
