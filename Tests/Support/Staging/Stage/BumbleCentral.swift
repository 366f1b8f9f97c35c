/// A central that bumble plays in an air; see `Tests/ExternalPeers/bumble_air.py`.
final class BumbleCentral: TestbedCentral {
    private let member: BumbleDevice
    let address: String?
    let channels: any TestbedChannels

    /// Adds it to the air; it does nothing without an order.
    init(_ address: String, named name: String, in air: PeerProcess) async throws {
        self.address = address
        member = BumbleDevice(process: air, address: address)
        channels = BumbleChannels(member)
        try await air.order("addCentral", ["address": address, "name": name])
    }

    func connect(mtu: Int) async throws { try await member.order("connect", ["mtu": mtu]) }

    func discover(_ service: String) async throws {
        let found = try await member.order("discover", ["service": service])
        if (found.characteristics ?? []).isEmpty {
            throw TestbedError("service \(service) not found")
        }
    }

    func read(_ characteristic: String) async throws -> [UInt8] {
        let answer = try await member.order("read", ["characteristic": characteristic])
        if let code = answer.code { throw TestbedATTError(code: UInt8(code)) }
        return unpacked(answer.value ?? "")
    }

    func write(_ value: [UInt8], to characteristic: String, isAnswered: Bool) async throws {
        let answer = try await member.order(
            "write",
            [
                "characteristic": characteristic, "value": packed(value), "response": isAnswered,
            ]
        )
        if let code = answer.code { throw TestbedATTError(code: UInt8(code)) }
    }

    func subscribe(to characteristic: String) async throws {
        try await member.order("subscribe", ["characteristic": characteristic])
    }
    func unsubscribe(from characteristic: String) async throws {
        try await member.order("unsubscribe", ["characteristic": characteristic])
    }

    func values(of characteristic: String, atLeast count: Int) async throws -> [[UInt8]] {
        let details: [String: any Swift.Sendable] = [
            "characteristic": characteristic, "count": count,
        ]
        return (try await member.order("hear", details).values ?? []).map(unpacked)
    }

    func isConnected() async throws -> Bool {
        try await member.order("report").isConnected ?? false
    }
    func disconnect() async throws { try await member.order("leave") }
    func loseLink() async throws { try await member.order("vanish") }
}
