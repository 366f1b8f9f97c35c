internal import BluejaySimulator

/// A peripheral that bumble plays: `Tests/ExternalPeers/bumble_peripheral.py` on its own controller, or one
/// of many in the air of `bumble_air.py`.
///
/// It uses no other Bluetooth of this machine than the controller, which it takes from bluetoothd.
package final class BumblePeripheral: TestbedPeripheral {
    private let process: BumbleDevice
    let channels: any TestbedChannels

    /// Starts it, and returns when it advertises.
    package init(_ script: PeripheralScript, transport: String) async throws {
        let process = try await PeerProcess(
            "bumble_peripheral.py",
            ["--transport", transport, "--take"],
            firstLine: script.description
        )
        self.process = BumbleDevice(process: process, address: nil)
        channels = BumbleChannels(self.process)
    }

    /// Adds it to an air, and returns when it advertises.
    package init(_ script: PeripheralScript, in air: PeerProcess) async throws {
        process = BumbleDevice(process: air, address: script.address)
        channels = BumbleChannels(process)
        try await air.order("addPeripheral", ["script": script.description])
    }

    /// Replaces the peripheral by another one, which is faster than a new process.
    package func play(_ script: PeripheralScript) async throws {
        try await process.order("play", ["script": script.description])
    }

    package func kill() async { await process.kill() }

    // MARK: StagedPeripheral

    package func send(_ value: [UInt8], on characteristic: String) async throws {
        try await process.order("send", ["characteristic": characteristic, "value": packed(value)])
    }
    package func dropLink() async throws { try await process.order("drop") }
    package func leaveRange() async throws { try await process.order("goAway") }
    package func returnToRange() async throws { try await process.order("comeBack") }
    package func stopResponding() async throws { try await process.order("fallSilent") }
    package func addService(_ service: PeripheralScript.Service) async throws {
        try await process.order("addService", ["service": service.description])
    }
    package func removeService(_ uuid: String) async throws {
        try await process.order("removeService", ["uuid": uuid])
    }
    package func setStrength(_ rssi: Int8) async throws {
        try await process.order("strength", ["rssi": Int(rssi)])
    }
    package func setPairing(_ accepts: Bool) async throws {
        try await process.order("pairing", ["accepts": accepts])
    }
    package func isConnected() async throws -> Bool {
        try await process.order("report").isConnected ?? false
    }
    package func reads() async throws -> [String] {
        (try await process.order("report").reads ?? []).map(shortUUID)
    }
    package func writes() async throws -> [String] {
        (try await process.order("report").writes ?? []).map { write in
            "\(shortUUID(write.characteristic)) \(hexadecimal(unpacked(write.value)))"
        }
    }
}

/// Returns bytes in the notation of the scripts: `003c`.
func packed(_ bytes: [UInt8]) -> String {
    hexadecimal(bytes).replacing(" ", with: "")
}

func unpacked(_ text: String) -> [UInt8] {
    stride(from: 0, to: text.count, by: 2).compactMap {
        UInt8(text.dropFirst($0).prefix(2), radix: 16)
    }
}

extension PeripheralScript {
    fileprivate var description: [String: any Swift.Sendable] {
        [
            "address": address, "random": true, "name": name, "advertising": advertising,
            "services": services.map(\.description), "pairing": pairing.description,
        ]
    }
}

extension SimulatedPairing {
    fileprivate var description: [String: any Swift.Sendable] {
        switch self {
        case .justWorks: ["io": "NoInputNoOutput"]
        case .passkey(let passkey): ["io": "DisplayOnly", "passkey": Int(passkey)]
        case .confirmation(_, let isAgreed): ["io": "DisplayYesNo", "agrees": isAgreed]
        case .refused: ["accepts": false]
        case .displayed, .pinCode, .displayedPinCode, .silent:
            preconditionFailure("only the simulated BlueZ plays this pairing")
        }
    }
}

extension PeripheralScript.Service {
    fileprivate var description: [String: any Swift.Sendable] {
        let all: [[String: any Swift.Sendable]] = characteristics.map {
            [
                "uuid": $0.uuid, "flags": $0.flags, "behaviour": $0.behavior.description,
                "descriptors": $0.descriptors.map {
                    ["uuid": $0.uuid, "value": packed($0.value)]
                },
            ]
        }
        return [
            "uuid": uuid, "characteristics": all, "primary": isPrimary, "includes": included,
        ]
    }
}

extension ScriptedBehavior {
    fileprivate var description: [String: any Swift.Sendable] {
        switch self {
        case .value(let value): ["kind": "value", "value": packed(value)]
        case .echoes(let value): ["kind": "echoes", "value": packed(value)]
        case .refuses(let code): ["kind": "refuses", "code": Int(code)]
        case .accepts(let values, let code):
            ["kind": "accepts", "values": values.map(packed), "otherwise": Int(code)]
        case .neverReplies: ["kind": "silent"]
        case .disconnects: ["kind": "leaves"]
        case .repliesLate(let value, let seconds):
            ["kind": "late", "value": packed(value), "afterSeconds": seconds]
        case .sends(let values, let seconds):
            ["kind": "sends", "values": values.map(packed), "everySeconds": seconds]
        case .computes, .decides, .replays:
            preconditionFailure(
                "only the simulated BlueZ calls closures of a scenario, and plays files"
            )
        }
    }
}
