import BluejayDBus
import TestSupport
import Testing

@testable import BluejaySimulator

/// Sequences of `pair.txt`, `pair_mitm.txt` and `encrypt.txt`, and conclusions from BlueZ's sources.
///
/// Tests `DevicePairing`, `PairingAttempt` and `AgentManager`.
@Suite("Pairing and agents", .timeLimit(.minutes(15)))
struct PairingTests {
    /// The behaviour of a test's agent.
    private enum Habit: Swift.Sendable {
        case accepts, refuses, isSilent
        case gives([BusValue])

        func answer(_ call: MethodInvocation, keeping held: Held) {
            switch self {
            case .accepts: call.reply()
            case .gives(let values): call.reply(values)
            case .refuses: call.fail("org.bluez.Error.Rejected", "no")
            case .isSilent: held.call = call
            }
        }
    }

    /// A call that is never answered; on the context of the client only.
    private final class Held: @unchecked Swift.Sendable {
        var call: MethodInvocation?
    }

    private func stage(_ pairing: SimulatedPairing, _ kind: SimulatedBlueZVersion = .v5_66)
        async throws -> SimulatorStage
    {
        let stage = try await SimulatorStage(kind)
        await stage.connect()
        await stage.system.perform { $0.device("F0:F1:F2:F3:F4:F5")?.pairing = pairing }
        return stage
    }

    /// Registers an agent that records its requests.
    private func register(
        _ client: BusClient,
        _ habit: Habit,
        _ capability: String = "KeyboardDisplay"
    ) async {
        let held = Held()
        await client.run { client in
            let all = [
                "RequestPinCode": "o", "DisplayPinCode": "os", "RequestPasskey": "o",
                "DisplayPasskey": "ouq", "RequestConfirmation": "ou", "RequestAuthorization": "o",
                "AuthorizeService": "os", "Cancel": "", "Release": "",
            ]
            let methods = all.map { name, takes in
                BusMethod(name, inputSignature: takes) { [weak client] call in
                    let texts = call.arguments.dropFirst().map { Recording.text(of: $0) }
                    client?.note((["agent", name] + texts).joined(separator: " "))
                    if name == "Cancel" { call.reply() } else { habit.answer(call, keeping: held) }
                }
            }
            client.server?.export(
                [BusInterface("org.bluez.Agent1", methods: methods)],
                at: "/agent"
            )
        }
        await client.call(
            "/org/bluez",
            "AgentManager1",
            "RegisterAgent",
            [.objectPath("/agent"), .string(capability)]
        )
        await client.wait(for: "SIG hci0 [Pairable true]")
        _ = await client.taken()
    }

    // The signals of the adapters about the agent may arrive later.
    private func pair(_ stage: SimulatorStage) async -> [String] {
        await stage.client.call(SimulatorStage.device, "Device1", "Pair")
        return await stage.client.taken().filter { !$0.contains(" hci") }
    }

    /// Pairs until the link is lost; signals of the other adapter are omitted.
    private func pairAndLose(_ stage: SimulatorStage) async -> [String] {
        await stage.client.call(SimulatorStage.device, "Device1", "Pair")
        await stage.client.wait(for: lost)
        return await stage.client.taken().filter { !$0.contains("hci") }
    }

    private let paired = "SIG ~F0_F1_F2_F3_F4_F5 [Bonded true; Paired true] []"
    private let lost = "SIG ~F0_F1_F2_F3_F4_F5 [ServicesResolved false; Connected false] []"
    private let failed =
        "ERR Pair org.bluez.Error.AuthenticationFailed \"Authentication Failed\""

    @Test("Both sides confirm the number of a numeric comparison (pair_mitm.txt)")
    func confirmation() async throws {
        let stage = try await stage(.confirmation(275_709, isAgreed: true))
        await register(stage.client, .accepts, "DisplayYesNo")
        #expect(
            await pair(stage) == [
                "call Pair", "agent RequestConfirmation 275709", paired, "ret Pair",
            ]
        )
        #expect(await stage.read("0019").outcome == "ok")
    }

    @Test(
        "The link stays if the agent rejects, and drops if the peer rejects (pair_mitm.txt)"
    )
    func refused() async throws {
        let stage = try await stage(.confirmation(960_859, isAgreed: false))
        await register(stage.client, .accepts)
        #expect(
            await pairAndLose(stage) == [
                "call Pair", "agent RequestConfirmation 960859", failed, lost,
            ]
        )
        let other = try await self.stage(.confirmation(960_859, isAgreed: true))
        await register(other.client, .refuses)
        #expect(await pair(other) == ["call Pair", "agent RequestConfirmation 960859", failed])
        #expect(
            await other.client.call(SimulatorStage.device, "Device1", "CancelPairing").outcome
                == "org.bluez.Error.DoesNotExist \"Does Not Exist\""
        )
    }

    @Test("The agent provides the passkey, and only the right one pairs")
    func passkey() async throws {
        let stage = try await stage(.passkey(123_456))
        await register(stage.client, .gives([.uint32(123_456)]))
        #expect(await pair(stage) == ["call Pair", "agent RequestPasskey", paired, "ret Pair"])
        let other = try await self.stage(.passkey(123_456))
        await register(other.client, .gives([.uint32(1)]))
        #expect(
            await pairAndLose(other) == ["call Pair", "agent RequestPasskey", failed, lost]
        )
    }

    @Test(
        "From 5.82 on, a pairing uses the abilities that the agent had when the link came up",
        arguments: [
            (SimulatedBlueZVersion.v5_66, ["agent RequestPasskey"]), (.v5_82, []), (.v5_87, []),
        ]
    )
    func abilitiesOfLink(kind: SimulatedBlueZVersion, requests: [String]) async throws {
        let stage = try await stage(.passkey(123_456), kind)
        await register(stage.client, .gives([.uint32(123_456)]))
        #expect(await pair(stage) == ["call Pair"] + requests + [paired, "ret Pair"])
    }

    @Test(
        "An agent that is registered before the connection is asked for the passkey",
        arguments: [SimulatedBlueZVersion.v5_66, .v5_82, .v5_87]
    )
    func earlyAgent(kind: SimulatedBlueZVersion) async throws {
        let stage = try await SimulatorStage(kind)
        await stage.system.perform { $0.device("F0:F1:F2:F3:F4:F5")?.pairing = .passkey(123_456) }
        await register(stage.client, .gives([.uint32(123_456)]))
        await stage.connect()
        #expect(await pair(stage) == ["call Pair", "agent RequestPasskey", paired, "ret Pair"])
    }

    @Test("After 30 s without a reply Pair fails with AuthenticationCanceled and the link drops")
    func unanswered() async throws {
        let stage = try await stage(.confirmation(1, isAgreed: true))
        await register(stage.client, .isSilent)
        let lines = await pair(stage)
        #expect(
            lines.filter { !$0.contains("hci") } == [
                "call Pair", "agent RequestConfirmation 1", "agent Cancel",
                lost,
                "ERR Pair org.bluez.Error.AuthenticationCanceled \"Authentication Canceled\"",
            ]
        )
    }

    @Test("CancelPairing cancels the pairing and the agent's request, and the link stays")
    func cancelled() async throws {
        let stage = try await stage(.confirmation(1, isAgreed: true))
        await register(stage.client, .isSilent)
        await stage.client.start(SimulatorStage.device, "Device1", "Pair")
        await stage.client.wait(for: "agent RequestConfirmation")
        let second = await stage.client.call(SimulatorStage.device, "Device1", "Pair")
        #expect(second.outcome == "org.bluez.Error.InProgress \"In Progress\"")
        _ = await stage.client.taken()
        await stage.client.call(SimulatorStage.device, "Device1", "CancelPairing")
        await stage.client.wait(for: "agent Cancel")
        let lines = await stage.client.taken()
        #expect(
            Set(lines) == [
                "call CancelPairing", "agent Cancel", "ret CancelPairing",
                "ERR Pair org.bluez.Error.AuthenticationCanceled \"Authentication Canceled\"",
            ]
        )
        #expect(
            await stage.client.property(SimulatorStage.device, "Device1", "Connected")
                == .boolean(true)
        )
    }

    @Test("An agent without input and output pairs without a comparison (pair.txt)")
    func nothingToCompare() async throws {
        let stage = try await stage(.passkey(5))
        let other = try await BusClient(stage.system.busAddress)
        await register(other, .refuses)
        await other.call(
            "/org/bluez",
            "AgentManager1",
            "RequestDefaultAgent",
            [.objectPath("/agent")]
        )
        await register(stage.client, .refuses)
        #expect(await pair(stage) == ["call Pair", "agent RequestPasskey", failed])
        #expect(!(await other.taken()).contains { $0.hasPrefix("agent") })
        // bluetoothd does not reply to a read whose pairing is refused before the link ends.
        await stage.startReading("0017")
        await other.wait(for: "agent RequestPasskey")
        #expect(!(await stage.client.taken()).contains { $0.hasPrefix("agent") })
    }
}
