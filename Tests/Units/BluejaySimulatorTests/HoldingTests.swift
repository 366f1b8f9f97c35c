import BluejayDBus
import BluejaySimulator
import TestSupport
import Testing

@Suite("Daemons and peers that respond late or never", .timeLimit(.minutes(15)))
struct HoldingTests {
    private let device = "~F0_F1_F2_F3_F4_F5"
    private let notifying = Lab.service + "2"

    private func apply(_ fault: Fault, in lab: Lab) async {
        await lab.system.perform { $0.apply(fault) }
    }

    private func onPeripheral(
        in lab: Lab,
        _ work: @escaping @Sendable (SimulatedDevice) -> Void
    ) async {
        await lab.system.perform { world in world.device("F0:F1:F2:F3:F4:F5").map(work) }
    }

    private func waitUntilHeld(_ request: PeerRequest, of uuid: String, in lab: Lab) async throws {
        try await wait {
            await lab.system.read {
                $0.device("F0:F1:F2:F3:F4:F5")?.heldCount(request, of: uuid)
            } == 1
        }
    }

    @Test("A suspended bluetoothd keeps its bus name, and replies after it resumes")
    func standsStill() async throws {
        let lab = try await Lab()
        await lab.connect()
        await lab.characteristic("0011", "StartNotify")
        _ = await lab.client.taken()
        await apply(.daemonFrozen(for: .seconds(3600)), in: lab)
        await lab.startReading("0023")
        let uuid = notifying
        await onPeripheral(in: lab) { $0.send([1], on: uuid) }
        await lab.client.start("/org/bluez/hci0", "Adapter1", "GetDiscoveryFilters")
        await onPeripheral(in: lab) { $0.dropLink() }
        #expect(await lab.client.owner("org.bluez") != nil)
        #expect(await lab.client.taken() == ["call ReadValue", "call GetDiscoveryFilters"])
        await apply(.daemonResumed, in: lab)
        await lab.client.wait(for: "SIG \(device) [ServicesResolved false")
        await lab.client.wait(for: "ret GetDiscoveryFilters")
        let lines = await lab.client.taken().filter { $0.hasPrefix("SIG") }
        #expect(
            lines == [
                "SIG \(device)/service000e/char0011 [Value <01>] []",
                "SIG \(device) [ServicesResolved false; Connected false] []",
            ]
        )
    }

    @Test("A suspended bluetoothd resumes after its time")
    func goesOn() async throws {
        let lab = try await Lab(scale: 0.01)
        await apply(.daemonFrozen(for: .seconds(30)), in: lab)
        let start = ContinuousClock.now
        #expect(await lab.client.objects().contains("/org/bluez/hci0"))
        #expect(ContinuousClock.now - start >= .milliseconds(250))
    }

    @Test("A bluetoothd killed while suspended starts without any state")
    func killed() async throws {
        let lab = try await Lab()
        await lab.connect()
        await apply(.daemonFrozen(for: .seconds(3600)), in: lab)
        await onPeripheral(in: lab) { $0.dropLink() }
        await lab.client.start("/org/bluez/hci0", "Adapter1", "StartDiscovery")
        await lab.system.killDaemon()
        await lab.client.wait(for: "ERR StartDiscovery org.freedesktop.DBus.Error.NoReply")
        try await lab.system.startDaemon()
        #expect(await lab.client.objects().contains("/org/bluez/hci0"))
        // The new bluetoothd finds the link in the kernel and cuts it, as recorded.
        await lab.client.wait(for: "SIG \(device) [Connected false] []")
    }

    @Test("Disconnecting a link of a killed bluetoothd succeeds once the link is down")
    func leftLink() async throws {
        let lab = try await Lab()
        await lab.connect()
        await lab.system.killDaemon()
        _ = await lab.client.taken()
        try await lab.system.startDaemon()
        #expect(await lab.client.call(Lab.device, "Device1", "Disconnect").outcome == "ok")
        #expect(await lab.client.taken().contains("SIG \(device) [Connected false] []"))
    }

    @Test("Held calls complete when they are released, other calls at once")
    func heldCalls() async throws {
        let lab = try await Lab()
        await lab.connect()
        await apply(.callsHeld("StartNotify"), in: lab)
        await lab.client.start(Lab.path("0011"), "GattCharacteristic1", "StartNotify")
        await lab.read("0023")
        await apply(.callsReleased("StartNotify"), in: lab)
        await lab.client.wait(for: "ret StartNotify")
        await lab.characteristic("0014", "StartNotify")
        let lines = await lab.client.taken().filter { !$0.hasPrefix("SIG") }
        #expect(
            lines == [
                "call StartNotify", "call ReadValue", "ret ReadValue", "ret StartNotify",
                "call StartNotify", "ret StartNotify",
            ]
        )
    }

    @Test("A held subscription is accepted late or refused late")
    func heldSubscription() async throws {
        let lab = try await Lab(scale: 0.5)
        await lab.connect()
        let uuid = notifying
        await onPeripheral(in: lab) { $0.hold(.subscription, of: uuid) }
        await lab.client.start(Lab.path("0011"), "GattCharacteristic1", "StartNotify")
        try await waitUntilHeld(.subscription, of: uuid, in: lab)
        #expect(await lab.client.taken() == ["call StartNotify"])
        await onPeripheral(in: lab) { $0.release(.subscription, of: uuid, refusingWith: 0x80) }
        await lab.client.wait(for: "ERR StartNotify")
        #expect(
            await lab.client.taken() == [
                "ERR StartNotify org.bluez.Error.Failed \"Operation failed with ATT error: 0x80\""
            ]
        )
        await onPeripheral(in: lab) { $0.hold(.subscription, of: uuid) }
        await lab.client.start(Lab.path("0011"), "GattCharacteristic1", "StartNotify")
        try await waitUntilHeld(.subscription, of: uuid, in: lab)
        await onPeripheral(in: lab) { $0.release(.subscription, of: uuid) }
        await lab.client.wait(for: "ret StartNotify")
        #expect(
            await lab.client.taken() == [
                "call StartNotify", "SIG \(device)/service000e/char0011 [Notifying true] []",
                "ret StartNotify",
            ]
        )
    }

    @Test("A held read fails with the link, and its release has no effect later")
    func heldRead() async throws {
        let lab = try await Lab(scale: 0.5)
        await lab.connect()
        let uuid = Lab.service + "a"
        await onPeripheral(in: lab) { $0.hold(.read, of: uuid) }
        await lab.startReading("0023")
        try await waitUntilHeld(.read, of: uuid, in: lab)
        await onPeripheral(in: lab) { $0.dropLink() }
        await lab.client.wait(for: "ERR ReadValue")
        await onPeripheral(in: lab) { $0.release(.read, of: uuid) }
        await lab.reconnectKnown()
        await lab.read("0023")
        let reads = await lab.system.read { $0.device("F0:F1:F2:F3:F4:F5")?.reads.count }
        #expect(reads == 1)
    }

    @Test("If a peer does not respond to service discovery, the link stays until it does")
    func unresolved() async throws {
        let lab = try await Lab()
        await onPeripheral(in: lab) { $0.answersDiscovery = false }
        await lab.discover()
        await lab.client.call(Lab.device, "Device1", "Connect")
        await lab.system.pass(.seconds(5))
        #expect(
            await lab.client.property(Lab.device, "Device1", "ServicesResolved") == .boolean(false)
        )
        #expect(await lab.client.property(Lab.device, "Device1", "Connected") == .boolean(true))
        await onPeripheral(in: lab) { $0.answersDiscovery = true }
        await lab.client.wait(for: "SIG \(device) [UUIDs")
    }

    @Test(
        "Disconnect during an unanswered discovery crashes bluetoothd only on Linux 6.1.192",
        arguments: SimulatedKernel.allCases
    )
    func earlyDisconnect(kernel: SimulatedKernel) async throws {
        let lab = try await Lab(kernel: kernel)
        await onPeripheral(in: lab) { $0.answersDiscovery = false }
        await lab.discover()
        await lab.client.call(Lab.device, "Device1", "Connect")
        await lab.system.pass(.seconds(5))
        let result = await lab.client.call(Lab.device, "Device1", "Disconnect")
        switch (kernel, result) {
        case (.v6_1_176, .success): break
        case (.v6_1_192, .failure(let error)):
            #expect(error.name == "org.freedesktop.DBus.Error.NoReply")
            #expect(await lab.client.objects() == [])
        default: Issue.record("\(kernel): \(result)")
        }
    }

    @Test(
        "The connection attempt of another program refuses Connect, and Disconnect cancels it",
        arguments: [
            (
                SimulatedBlueZVersion.v5_66,
                "org.bluez.Error.Failed \"Operation already in progress\""
            ),
            (.v5_86, "org.bluez.Error.InProgress \"In Progress\""),
        ]
    )
    func otherProgram(kind: SimulatedBlueZVersion, refusal: String) async throws {
        let lab = try await Lab(kind)
        await lab.discover()
        await onPeripheral(in: lab) { $0.setAdvertising(false) }
        await apply(.otherProgramConnects("F0:F1:F2:F3:F4:F5"), in: lab)
        #expect(await lab.client.call(Lab.device, "Device1", "Connect").outcome == refusal)
        #expect(await lab.client.call(Lab.device, "Device1", "Disconnect").outcome == "ok")
        await onPeripheral(in: lab) { $0.setAdvertising(true) }
        await lab.system.pass(.milliseconds(50))
        #expect(await lab.client.property(Lab.device, "Device1", "Connected") == .boolean(false))
        await onPeripheral(in: lab) { $0.setAdvertising(false) }
        await apply(.otherProgramConnects("F0:F1:F2:F3:F4:F5"), in: lab)
        await onPeripheral(in: lab) { $0.setAdvertising(true) }
        await lab.client.wait(for: "SIG \(device) [Connected true]")
    }
}
