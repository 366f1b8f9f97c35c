/// A device that bumble plays: alone on a controller, or one of many in an air.
struct BumbleDevice: Swift.Sendable {
    let process: PeerProcess
    /// Its address among others; `nil` if it is alone.
    let address: String?

    @discardableResult
    func order(_ name: String, _ details: [String: any Swift.Sendable] = [:]) async throws
        -> PeerProcess.Message
    {
        var details = details
        if let address { details["on"] = address }
        return try await process.order(name, details)
    }

    func kill() async { await process.kill() }
}

/// The channels of a device that bumble plays in an air; see `Tests/ExternalPeers/bumble_channels.py`.
final class BumbleChannels: TestbedChannels {
    private let member: BumbleDevice

    init(_ member: BumbleDevice) { self.member = member }

    private func details(
        _ psm: UInt16?,
        _ options: TestbedChannelOptions
    ) -> [String: any Swift.Sendable] {
        [
            "psm": psm.map(Int.init) ?? 0, "behaviour": options.behavior.rawValue,
            "mtu": options.mtu, "credits": options.credits,
        ]
    }

    func listen(_ psm: UInt16?, _ options: TestbedChannelOptions) async throws -> UInt16 {
        let answer = try await member.order("listen", details(psm, options))
        return UInt16(answer.psm ?? 0)
    }
    func stopListening(_ psm: UInt16) async throws {
        try await member.order("deafen", ["psm": Int(psm)])
    }
    func open(_ psm: UInt16, _ options: TestbedChannelOptions) async throws -> Int {
        try await member.order("open", details(psm, options)).channel ?? 0
    }
    func transmit(_ count: Int, size: Int, on channel: Int) async throws {
        try await member.order("transmit", ["channel": channel, "bytes": count, "size": size])
    }
    func transmit(_ value: [UInt8], on channel: Int) async throws {
        try await member.order("transmit", ["channel": channel, "value": packed(value)])
    }
    func received(atLeast count: Int, on channel: Int) async throws -> TestbedChannel {
        try await member.order("await", ["channel": channel, "bytes": count])
        guard let found = try await channels().first(where: { $0.channel == channel }) else {
            throw TestbedError("channel \(channel) not found")
        }
        return found
    }
    func channels() async throws -> [TestbedChannel] {
        try await member.order("channels").channels ?? []
    }
    func close(_ channel: Int) async throws {
        try await member.order("close", ["channel": channel])
    }
    func abort(_ channel: Int) async throws {
        try await member.order("tear", ["channel": channel])
    }
}
