import BluejayBlueZ
import BluejayCore
import BluejayDBus
import BluejayGLib
import BluejaySimulator
import Foundation
import Staging
import TestSupport
import TestTraits
import Testing

@testable import BluejayDoctor

@Suite("Collecting evidence on a bus", .timeLimit(.minutes(15)))
struct CollectorTests {
    private static func evidence(_ address: String, _ computer: FakeComputer) async -> Evidence {
        let environment = ["DBUS_SYSTEM_BUS_ADDRESS": address]
        return await EvidenceCollector(files: computer.files, environment: environment).collect()
    }

    private static func evidence(_ system: SimulatedSystem) async throws -> Evidence {
        await evidence(system.busAddress, try FakeComputer())
    }

    @Test("Evidence from a simulated bluetoothd and from files gives a complete report")
    func healthy() async throws {
        try await onSimulatedBlueZ(.accelerated(.v5_86)) { system in
            let evidence = try await Self.evidence(system)
            #expect(
                TextReport.lines(Diagnosis.findings(evidence)) == [
                    "✓ kernel: Linux 6.1.0-18-amd64",
                    "✓ Bluetooth in the kernel: loaded",
                    "✓ system bus: \(system.busAddress) (from DBUS_SYSTEM_BUS_ADDRESS), responding",
                    "✓ bluetoothd: running and responding",
                    "✓ permissions: anna has access to bluetoothd",
                    "✓ BlueZ: 5.86",
                    "✓ experimental features: advertisement monitors available",
                    "✓ adapter hci0: 00:AA:01:00:00:00, BlueZ 5.86, on; central, peripheral, advertises, "
                        + "room for 5, monitors",
                    "• known crash: bluetoothd 5.66 and later (seen up to 5.87) crashes 5 s after a request from a central "
                        + "whose link drops before the serving program responds; a server that responds at once or holds its "
                        + "values avoids it",
                    "✓ simulated BlueZ: dbus-daemon found",
                    "No problems found.",
                ]
            )
        }
    }

    @Test("An adapter that is off is a problem")
    func off() async throws {
        var options = SimulatorOptions.accelerated()
        options.isPowered = false
        try await onSimulatedBlueZ(options) { system in
            let evidence = try await Self.evidence(system)
            #expect(evidence.troubles == [.adapter])
            #expect(evidence.report(.adapter).last == "  → `bluetoothctl power on`")
        }
    }

    @Test("A bus without an adapter is reachable and has one problem")
    func none() async throws {
        var options = SimulatorOptions.accelerated()
        options.adapters = 0
        try await onSimulatedBlueZ(options) { system in
            let evidence = try await Self.evidence(system)
            #expect(evidence.bus.reachability == .reachable)
            #expect(evidence.report(.adapter).first == "✗ adapter: no adapter found")
            #expect(evidence.troubles == [.adapter])
        }
    }

    @Test("An adapter blocked by rfkill is reported with its remedy")
    func blocked() async throws {
        try await onSimulatedBlueZ { system in
            await system.perform { $0.setBlocked(true) }
            // bluetoothd notices the change a moment later.
            try await wait {
                try await Self.evidence(system).report(.adapter) == [
                    "✗ adapter hci0: 00:AA:01:00:00:00, BlueZ 5.66, blocked by rfkill",
                    "  → `sudo rfkill unblock bluetooth`, then `bluetoothctl power on`",
                ]
            }
        }
    }

    @Test("Extended Advertising and missing experimental features are reported")
    func features() async throws {
        var options = SimulatorOptions.accelerated()
        options.controller = .extended
        options.takesMonitors = false
        try await onSimulatedBlueZ(options) { system in
            let evidence = try await Self.evidence(system)
            #expect(
                evidence.report(.adapter) == [
                    "✓ adapter hci0: 00:AA:01:00:00:00, BlueZ 5.66, on; central, peripheral, "
                        + "Extended Advertising, room for 5"
                ]
            )
            #expect(evidence.report(.experimental).first?.hasPrefix("• ") == true)
        }
    }

    @Test("A killed bluetoothd is reported as not running")
    func killed() async throws {
        try await onSimulatedBlueZ { system in
            await system.killDaemon()
            let evidence = try await Self.evidence(system)
            #expect(evidence.bus.reachability == .daemonNotRunning)
            #expect(evidence.adapters == [])
            #expect(evidence.troubles == [.daemon])
        }
    }

    @Test("A frozen bluetoothd is reported after the time limit")
    func standsStill() async throws {
        try await onSimulatedBlueZ { system in
            await system.perform { $0.apply(.daemonFrozen(for: .seconds(100_000))) }
            let evidence = try await Self.evidence(system)
            #expect(evidence.bus.reachability == .daemonNotResponding)
            #expect(evidence.troubles == [.daemon])
        }
    }

    @Test("A missing bus is reported with its path")
    func noBus() async throws {
        let computer = try FakeComputer()
        let path = computer.place(of: "/none")
        let evidence = await Self.evidence("unix:path=\(path)", computer)
        guard case .busUnreachable(let text) = evidence.bus.reachability else {
            Issue.record("\(evidence.bus.reachability)")
            return
        }
        #expect(text.contains(path))
        #expect(evidence.bus.socket == .missing(path))
        #expect(evidence.troubles == [.bus])
    }

    @Test(
        "The address of the system bus counts as the default even if the environment sets it",
        arguments: [
            ("unix:path=/run/dbus/system_bus_socket", false),
            ("unix:path=/var/run/dbus/system_bus_socket", false),
            ("unix:path=/nowhere/run/dbus/system_bus_socket", true),
        ]
    )
    func own(address: String, isGiven: Bool) async throws {
        let evidence = await Self.evidence(address, try FakeComputer())
        #expect(evidence.bus.isFromEnvironment == isGiven)
        #expect(evidence.bus.address == address)
    }

    @Test("A scan by another program and a connected device are reported")
    func goingOn() async throws {
        try await onSimulatedBlueZ { system in
            let belt = "C4:7C:8D:6A:1F:02"
            await system.perform { $0.add(.heartRateSensor(address: belt)) }
            let loop = MainLoop(threadName: "other")
            let (answer, other) = await Self.scan(system.busAddress, on: loop)
            #expect(answer == .success([]))
            try await wait {
                try await Self.evidence(system).report(.discovery)
                    == [
                        "• scan: another program is scanning with hci0, which slows connecting"
                    ]
            }
            // A discovered device is not a connected one.
            try await wait { await Self.known(other, on: loop) == [belt] }
            #expect(try await Self.evidence(system).report(.connected) == [])
            try await wait {
                await system.perform { $0.apply(.otherProgramConnects(belt)) }
                return try await Self.evidence(system).report(.connected).contains {
                    $0.hasPrefix("• connected: ") && $0.contains("(\(belt)) on hci0; ")
                }
            }
            withExtendedLifetime((loop, other)) {}
        }
    }

    /// Scans from another program until the returned value is released.
    private static func scan(
        _ address: String,
        on loop: MainLoop
    ) async -> (CallResult, Kept<BlueZEngine>) {
        await withCheckedContinuation { continuation in
            loop.post { [loop] in
                let other = Kept(BlueZEngine.shared(on: loop, busAddress: address))
                let call = MethodCall(
                    to: BlueZ.service,
                    at: "/org/bluez/hci0",
                    "org.bluez.Adapter1",
                    "StartDiscovery"
                )
                let client = other.value.client
                var observation: ObservationToken?
                observation = client.observe { [unowned client] _ in
                    guard observation != nil, client.state == .running else { return }
                    observation = nil
                    client.call(call, timeout: .seconds(60)) {
                        continuation.resume(returning: ($0, other))
                    }
                }
            }
        }
    }

    private static func known(_ other: Kept<BlueZEngine>, on loop: MainLoop) async -> [String?] {
        await withCheckedContinuation { continuation in
            loop.post {
                let known = other.value.client.objects.knownPeripherals(of: "/org/bluez/hci0")
                continuation.resume(returning: known.map(\.identifier.address))
            }
        }
    }

    // MARK: Other buses

    @Test("A bus that denies access to bluetoothd is a permission problem", .pitfall(.permissions))
    func refused() async throws {
        let bus = try TestBus(TestLoop(), rules: "<deny send_destination=\"org.bluez\"/>")
        let context = MainContext()
        context.startThread(named: "denied BlueZ")
        let world = await withCheckedContinuation { continuation in
            context.post { [address = bus.address] in
                let world = SimulatedBlueZ(.accelerated(), at: .address(address), on: context)
                world.start { continuation.resume(returning: ($0, Kept(world))) }
            }
        }
        #expect(world.0 == nil)
        let computer = try FakeComputer(
            FakeComputer.debian.with(["/etc/dbus-1/system.d/bluetooth.conf": ""])
        )
        let evidence = await Self.evidence(bus.address, computer)
        guard case .daemonAccessDenied(let text) = evidence.bus.reachability else {
            Issue.record("\(evidence.bus.reachability)")
            return
        }
        #expect(text.contains("org.bluez"))
        #expect(evidence.troubles == [.permissions])
        // Without a later use, the bus may be released before the evidence is collected.
        withExtendedLifetime(bus) {}
        context.post { world.1.value.end() }
        context.quit()
    }

    @Test("A bus that closes the connection of this user is reported")
    func stranger() async throws {
        let bus = try TestBus(TestLoop(), rules: "<deny user=\"*\"/>")
        let evidence = await Self.evidence(bus.address, try FakeComputer())
        #expect(
            evidence.report(.bus).first
                == "✗ system bus: \(bus.address) closed the connection: it rejected this user"
        )
        #expect(evidence.troubles == [.bus])
    }

    // Used only on the context of its value, which justifies `@unchecked`.
    private final class Kept<Value>: @unchecked Sendable {
        let value: Value
        init(_ value: Value) { self.value = value }
    }

    @Test("A frozen bus is reported after the time limit")
    func frozenBus() async throws {
        let bus = try TestBus(TestLoop())
        bus.freeze()
        let evidence = await Self.evidence(bus.address, try FakeComputer())
        bus.thaw()
        #expect(evidence.bus.reachability == .busNotResponding)
        #expect(evidence.troubles == [.bus])
    }
}
