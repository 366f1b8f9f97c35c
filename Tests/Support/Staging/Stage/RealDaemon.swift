internal import BluejayDBus
internal import Foundation

/// The machine's bluetoothd, controlled by `bluez-control`.
struct RealDaemon: Swift.Sendable {
    let busAddress: String
    let bus: TestbedBus

    /// Whether this run is the part of the suite in which bumble is the controller.
    static let isInTheAir = ProcessInfo.processInfo.environment["BLUEJAY_AIR"] == "1"

    init() async throws {
        guard let address = ProcessInfo.processInfo.environment["DBUS_SYSTEM_BUS_ADDRESS"] else {
            throw TestbedError("DBUS_SYSTEM_BUS_ADDRESS is not set; use ./Tests/RealBlueZ/run")
        }
        busAddress = address
        bus = try await TestbedBus(address)
    }

    func control(_ arguments: String...) async throws {
        try await runCommand(["bluez-control"] + arguments)
    }

    /// Undoes the changes of an interrupted scenario; `plug` returns the controllers.
    func restore(_ plug: () async throws -> Void) async throws {
        // A daemon with a powered adapter needs none of the programs below, which take a second to run.
        guard await !isPowered() else { return }
        try await control("rfkill", "unblock")
        if try await !bus.hasOwner("org.bluez") { try await control("start-bluetoothd") }
        if try await bus.objects().contains("/org/bluez/hci0") == false {
            try await plug()
        } else {
            try await control("power", "hci0", "on")
        }
        try await waitForAdapter()
    }

    /// Whether bluetoothd runs, has hci0, and hci0 is powered.
    private func isPowered() async -> Bool {
        let reply = try? await bus.call(
            "/org/bluez/hci0",
            "org.freedesktop.DBus.Properties",
            "Get",
            [.string("org.bluez.Adapter1"), .string("Powered")]
        )
        return reply?.first?.unwrapped == .boolean(true)
    }

    func waitForAdapter() async throws {
        try await control("wait-adapters", "1", "20")
    }

    // Covers all adapters: a bond that only one end has kept breaks each link between them.
    func forgetDevices() async throws {
        for path in try await bus.objects() {
            let words = path.split(separator: "/")
            guard words.count == 4, words[3].hasPrefix("dev_"), let device = ObjectPath(path),
                let adapter = ObjectPath("/org/bluez/\(words[2])")
            else { continue }
            // The device may disappear by itself meanwhile.
            _ = try? await bus.call(
                adapter,
                "org.bluez.Adapter1",
                "RemoveDevice",
                [.objectPath(device)]
            )
        }
    }

    func setPowered(_ isPowered: Bool) async throws {
        try await control("power", "hci0", isPowered ? "on" : "off")
    }

    func setBlocked(_ isBlocked: Bool) async throws {
        try await control("rfkill", isBlocked ? "block" : "unblock")
    }

    func end(politely: Bool) async throws {
        try await control("kill-bluetoothd", politely ? "TERM" : "KILL")
    }

    func start() async throws {
        try await control("start-bluetoothd")
        try await waitForAdapter()
    }
}

/// A testbed with the machine's bluetoothd and any controllers.
protocol DaemonTestbed: Testbed {
    var daemon: RealDaemon { get }
}

extension DaemonTestbed {
    package var busAddress: String { daemon.busAddress }
    package var ownConnection: String? {
        get async { await daemon.bus.uniqueName() }
    }

    package func setPowered(_ isPowered: Bool) async throws {
        try await daemon.setPowered(isPowered)
    }

    package func setBlocked(_ isBlocked: Bool) async throws {
        try await daemon.setBlocked(isBlocked)
    }

    package func endDaemon(politely: Bool) async throws {
        try await daemon.end(politely: politely)
    }

    package func startDaemon() async throws {
        try await daemon.start()
    }
}
