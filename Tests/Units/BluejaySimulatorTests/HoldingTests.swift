import BluejayDBus
import BluejaySimulator
import TestSupport
import TestTraits
import Testing

@Suite("Daemons and peers that respond late or never", .timeLimit(.minutes(15)))
struct HoldingTests {
    private let device = "~F0_F1_F2_F3_F4_F5"
    private let notifying = SimulatorStage.service + "2"

    private func apply(_ fault: Fault, in stage: SimulatorStage) async {
        await stage.system.perform { $0.apply(fault) }
    }

    private func onPeripheral(
        in stage: SimulatorStage,
        _ work: @escaping @Sendable (SimulatedDevice) -> Void
    ) async {
        await stage.system.perform { world in world.device("F0:F1:F2:F3:F4:F5").map(work) }
    }

    private func waitUntilHeld(_ request: PeerRequest, of uuid: String, in stage: SimulatorStage)
        async throws
    {
        try await wait {
            await stage.system.read {
                $0.device("F0:F1:F2:F3:F4:F5")?.heldCount(request, of: uuid)
            } == 1
        }
    }

    @Test("A suspended bluetoothd keeps its bus name, and replies after it resumes")
    func standsStill() async throws {
        let stage = try await SimulatorStage()
        await stage.connect()
        await stage.characteristic("0011", "StartNotify")
        _ = await stage.client.taken()
        await apply(.daemonFrozen(for: .seconds(3600)), in: stage)
        await stage.startReading("0023")
        let uuid = notifying
        await onPeripheral(in: stage) { $0.send([1], on: uuid) }
        await stage.client.start("/org/bluez/hci0", "Adapter1", "GetDiscoveryFilters")
        await onPeripheral(in: stage) { $0.dropLink() }
        #expect(await stage.client.owner("org.bluez") != nil)
        #expect(await stage.client.taken() == ["call ReadValue", "call GetDiscoveryFilters"])
        await apply(.daemonResumed, in: stage)
        await stage.client.wait(for: "SIG \(device) [ServicesResolved false")
        await stage.client.wait(for: "ret GetDiscoveryFilters")
        let lines = await stage.client.taken().filter { $0.hasPrefix("SIG") }
        #expect(
            lines == [
                "SIG \(device)/service000e/char0011 [Value <01>] []",
                "SIG \(device) [ServicesResolved false; Connected false] []",
            ]
        )
    }

    @Test("A suspended bluetoothd resumes after its time")
    func goesOn() async throws {
        let stage = try await SimulatorStage(scale: 0.01)
        await apply(.daemonFrozen(for: .seconds(30)), in: stage)
        let start = ContinuousClock.now
        #expect(await stage.client.objects().contains("/org/bluez/hci0"))
        #expect(ContinuousClock.now - start >= .milliseconds(250))
    }

    @Test("A bluetoothd killed while suspended starts without any state")
    func killed() async throws {
        let stage = try await SimulatorStage()
        await stage.connect()
        await apply(.daemonFrozen(for: .seconds(3600)), in: stage)
        await onPeripheral(in: stage) { $0.dropLink() }
        await stage.client.start("/org/bluez/hci0", "Adapter1", "StartDiscovery")
        await stage.system.killDaemon()
        await stage.client.wait(for: "ERR StartDiscovery org.freedesktop.DBus.Error.NoReply")
        try await stage.system.startDaemon()
        #expect(await stage.client.objects().contains("/org/bluez/hci0"))
        // The new bluetoothd finds the link in the kernel and cuts it, as recorded.
        await stage.client.wait(for: "SIG \(device) [Connected false] []")
    }

    @Test("Disconnecting a link of a killed bluetoothd succeeds once the link is down")
    func leftLink() async throws {
        let stage = try await SimulatorStage()
        await stage.connect()
        await stage.system.killDaemon()
        _ = await stage.client.taken()
        try await stage.system.startDaemon()
        #expect(
            await stage.client.call(SimulatorStage.device, "Device1", "Disconnect").outcome == "ok"
        )
        #expect(await stage.client.taken().contains("SIG \(device) [Connected false] []"))
    }

    @Test("Held calls complete when they are released, other calls at once")
    func heldCalls() async throws {
        let stage = try await SimulatorStage()
        await stage.connect()
        await apply(.callsHeld("StartNotify"), in: stage)
        await stage.client.start(SimulatorStage.path("0011"), "GattCharacteristic1", "StartNotify")
        await stage.read("0023")
        await apply(.callsReleased("StartNotify"), in: stage)
        await stage.client.wait(for: "ret StartNotify")
        await stage.characteristic("0014", "StartNotify")
        let lines = await stage.client.taken().filter { !$0.hasPrefix("SIG") }
        #expect(
            lines == [
                "call StartNotify", "call ReadValue", "ret ReadValue", "ret StartNotify",
                "call StartNotify", "ret StartNotify",
            ]
        )
    }

    @Test("A held subscription is accepted late or refused late")
    func heldSubscription() async throws {
        let stage = try await SimulatorStage(scale: 0.5)
        await stage.connect()
        let uuid = notifying
        await onPeripheral(in: stage) { $0.hold(.subscription, of: uuid) }
        await stage.client.start(SimulatorStage.path("0011"), "GattCharacteristic1", "StartNotify")
        try await waitUntilHeld(.subscription, of: uuid, in: stage)
        #expect(await stage.client.taken() == ["call StartNotify"])
        await onPeripheral(in: stage) { $0.release(.subscription, of: uuid, refusingWith: 0x80) }
        await stage.client.wait(for: "ERR StartNotify")
        #expect(
            await stage.client.taken() == [
                "ERR StartNotify org.bluez.Error.Failed \"Operation failed with ATT error: 0x80\""
            ]
        )
        await onPeripheral(in: stage) { $0.hold(.subscription, of: uuid) }
        await stage.client.start(SimulatorStage.path("0011"), "GattCharacteristic1", "StartNotify")
        try await waitUntilHeld(.subscription, of: uuid, in: stage)
        await onPeripheral(in: stage) { $0.release(.subscription, of: uuid) }
        await stage.client.wait(for: "ret StartNotify")
        #expect(
            await stage.client.taken() == [
                "call StartNotify", "SIG \(device)/service000e/char0011 [Notifying true] []",
                "ret StartNotify",
            ]
        )
    }

    @Test("A held read fails with the link, and its release has no effect later")
    func heldRead() async throws {
        let stage = try await SimulatorStage(scale: 0.5)
        await stage.connect()
        let uuid = SimulatorStage.service + "a"
        await onPeripheral(in: stage) { $0.hold(.read, of: uuid) }
        await stage.startReading("0023")
        try await waitUntilHeld(.read, of: uuid, in: stage)
        await onPeripheral(in: stage) { $0.dropLink() }
        await stage.client.wait(for: "ERR ReadValue")
        await onPeripheral(in: stage) { $0.release(.read, of: uuid) }
        await stage.reconnectKnown()
        await stage.read("0023")
        let reads = await stage.system.read { $0.device("F0:F1:F2:F3:F4:F5")?.reads.count }
        #expect(reads == 1)
    }

    @Test("If a peer does not respond to service discovery, the link stays until it does")
    func unresolved() async throws {
        let stage = try await SimulatorStage()
        await onPeripheral(in: stage) { $0.answersDiscovery = false }
        await stage.discover()
        await stage.client.call(SimulatorStage.device, "Device1", "Connect")
        await stage.system.pass(.seconds(5))
        #expect(
            await stage.client.property(SimulatorStage.device, "Device1", "ServicesResolved")
                == .boolean(false)
        )
        #expect(
            await stage.client.property(SimulatorStage.device, "Device1", "Connected")
                == .boolean(true)
        )
        await onPeripheral(in: stage) { $0.answersDiscovery = true }
        await stage.client.wait(for: "SIG \(device) [UUIDs")
    }

    @Test(
        "Disconnect during an unanswered discovery crashes bluetoothd only on Linux 6.1.192",
        arguments: SimulatedKernel.allCases
    )
    func earlyDisconnect(kernel: SimulatedKernel) async throws {
        let stage = try await SimulatorStage(kernel: kernel)
        await onPeripheral(in: stage) { $0.answersDiscovery = false }
        await stage.discover()
        await stage.client.call(SimulatorStage.device, "Device1", "Connect")
        await stage.system.pass(.seconds(5))
        let result = await stage.client.call(SimulatorStage.device, "Device1", "Disconnect")
        switch (kernel, result) {
        case (.v6_1_176, .success): break
        case (.v6_1_192, .failure(let error)):
            #expect(error.name == "org.freedesktop.DBus.Error.NoReply")
            #expect(await stage.client.objects() == [])
        default: Issue.record("\(kernel): \(result)")
        }
    }

    @Test(
        "The connection attempt of another program refuses Connect, and Disconnect cancels it",
        .pitfall(.connectInProgress),
        arguments: [
            (
                SimulatedBlueZVersion.v5_66,
                "org.bluez.Error.Failed \"Operation already in progress\""
            ),
            (.v5_86, "org.bluez.Error.InProgress \"In Progress\""),
        ]
    )
    func otherProgram(kind: SimulatedBlueZVersion, refusal: String) async throws {
        let stage = try await SimulatorStage(kind)
        await stage.discover()
        await onPeripheral(in: stage) { $0.setAdvertising(false) }
        await apply(.otherProgramConnects("F0:F1:F2:F3:F4:F5"), in: stage)
        #expect(
            await stage.client.call(SimulatorStage.device, "Device1", "Connect").outcome == refusal
        )
        #expect(
            await stage.client.call(SimulatorStage.device, "Device1", "Disconnect").outcome == "ok"
        )
        await onPeripheral(in: stage) { $0.setAdvertising(true) }
        await stage.system.pass(.milliseconds(50))
        #expect(
            await stage.client.property(SimulatorStage.device, "Device1", "Connected")
                == .boolean(false)
        )
        await onPeripheral(in: stage) { $0.setAdvertising(false) }
        await apply(.otherProgramConnects("F0:F1:F2:F3:F4:F5"), in: stage)
        await onPeripheral(in: stage) { $0.setAdvertising(true) }
        await stage.client.wait(for: "SIG \(device) [Connected true]")
    }
}
