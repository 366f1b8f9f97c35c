import BluejayDBus
import TestSupport
import Testing

@testable import BluejaySimulator

/// The peripheral of the recordings, in a simulated system with waits of a tenth of the real ones.
struct SimulatorStage {
    static let device = "/org/bluez/hci0/dev_F0_F1_F2_F3_F4_F5"
    static let service = "12345678-1234-5678-1234-56789abcdef"
    let system: SimulatedSystem
    let client: BusClient
    private let turn: BusSlot

    init(
        _ kind: SimulatedBlueZVersion = .v5_66,
        scale: Double = 0.1,
        adapters: Int = 2,
        kernel: SimulatedKernel = .v6_1_176
    ) async throws {
        turn = await BusSlot.acquire()
        var options = SimulatorOptions()
        options.version = kind
        options.adapters = adapters
        options.timeScale = scale
        options.kernel = kernel
        system = try await SimulatedSystem.start(options)
        await system.perform { $0.add(Self.peripheral()) }
        client = try await BusClient(system.busAddress)
    }

    static func peripheral() -> SimulatedDevice {
        let device = SimulatedDevice(
            address: "F0:F1:F2:F3:F4:F5",
            name: "BumbleLab",
            advertising: [service + "0"],
            rssi: 127
        )
        device.setManufacturerData(0xFFFF, [1, 2])
        let long = (0..<512).map { UInt8(truncatingIfNeeded: $0) }
        let first = (0..<20).map { UInt8($0) }
        let characteristics: [(String, [String], ScriptedBehavior)] = [
            ("1", ["read", "write-without-response", "write"], .value(first)),
            ("2", ["notify"], .value([])),
            ("3", ["indicate"], .value([])),
            ("4", ["encrypt-read", "encrypt-write"], .value(Array("secret".utf8))),
            ("5", ["encrypt-authenticated-read"], .value(Array("topsecret".utf8))),
            ("6", ["read"], .value(long)),
            ("7", ["read", "write"], .refuses(0x81)),
            ("8", ["read"], .repliesLate(Array("slow".utf8), afterSeconds: 3)),
            ("9", ["read"], .neverReplies),
            ("a", ["read"], .value(Array("x".utf8))),
        ]
        device.addService(
            service + "0",
            characteristics.map { ScriptedCharacteristic(service + $0.0, $0.1, $0.2) }
        )
        return device
    }

    /// Discovers the device in the same way as every recording.
    func discover() async {
        await client.call("/org/bluez/hci0", "Adapter1", "SetDiscoveryFilter", [Self.filter()])
        await client.call("/org/bluez/hci0", "Adapter1", "StartDiscovery")
        await client.wait(for: "InterfacesAdded ~F0")
        await client.call("/org/bluez/hci0", "Adapter1", "StopDiscovery")
        await client.wait(for: "SIG hci0 [Discovering false]")
    }

    /// Discovers and connects until the services are resolved, and clears the record.
    func connect() async {
        await discover()
        await reconnect()
    }

    func reconnect() async {
        _ = await client.taken()
        let result = await client.call(Self.device, "Device1", "Connect")
        guard case .success = result else {
            Issue.record("Connect: \(result.outcome)")
            return
        }
        await client.wait(for: "SIG ~F0_F1_F2_F3_F4_F5 [UUIDs")
        _ = await client.taken()
    }

    /// Connects to a device with known services, until they are resolved.
    func reconnectKnown() async {
        _ = await client.taken()
        await client.call(Self.device, "Device1", "Connect")
        await client.wait(for: "SIG ~F0_F1_F2_F3_F4_F5 [ServicesResolved true")
        _ = await client.taken()
    }

    /// Starts to read a characteristic, without waiting.
    func startReading(_ handle: String) async {
        await client.start(
            Self.path(handle),
            "GattCharacteristic1",
            "ReadValue",
            [.properties([])]
        )
    }

    /// Returns the path of a characteristic as in a recording.
    static func seen(_ handle: String) -> String { "~F0_F1_F2_F3_F4_F5/service000e/char" + handle }

    /// Returns an `a{sv}` for SetDiscoveryFilter.
    static func filter(_ more: BusProperties = []) -> BusValue {
        .properties([("Transport", .string("le"))] + more)
    }

    static func path(_ handle: String) -> String { device + "/service000e/char" + handle }

    @discardableResult
    func read(_ handle: String, offset: UInt16? = nil) async -> CallResult {
        let options: BusProperties = offset.map { [("offset", .uint16($0))] } ?? []
        return await client.call(
            Self.path(handle),
            "GattCharacteristic1",
            "ReadValue",
            [.properties(options)]
        )
    }

    @discardableResult
    func write(_ handle: String, _ value: [UInt8], type: String? = nil) async -> CallResult {
        let options: BusProperties = type.map { [("type", .string($0))] } ?? []
        return await client.call(
            Self.path(handle),
            "GattCharacteristic1",
            "WriteValue",
            [.bytes(value), .properties(options)]
        )
    }

    @discardableResult
    func characteristic(_ handle: String, _ member: String) async -> CallResult {
        let arguments: [BusValue] = member.hasPrefix("Acquire") ? [.properties([])] : []
        return await client.call(Self.path(handle), "GattCharacteristic1", member, arguments)
    }
}

extension CallResult {
    /// The error as `name "text"`, or `ok`.
    var outcome: String {
        switch self {
        case .success: "ok"
        case .failure(let error): "\(error.name) \"\(error.message)\""
        }
    }
}

extension SimulatedSystem {
    func pass(_ time: Duration) async {
        await withCheckedContinuation { continuation in
            Task {
                await perform { blueZ in blueZ.world.schedule(time) { continuation.resume() } }
            }
        }
    }
}
