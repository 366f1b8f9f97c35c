/// A node of the mesh that bumble plays in an air: `Tests/ExternalPeers/bumble_mesh.py`.
///
/// It was written from the description of the mesh alone. It is a central and a peripheral at once.
package final class BumbleMeshNode: Swift.Sendable {
    /// The treatment of other nodes.
    package enum Behavior: String, Swift.Sendable {
        case plays
        /// Answers no request.
        case silent
        /// Sends notifications without a pause to each subscriber.
        case floods
    }

    package let address: String
    package let channels: any TestbedChannels
    private let member: BumbleDevice

    init(
        _ address: String,
        identity: [UInt8],
        advertises: Bool,
        omits: [String],
        _ behaviour: Behavior,
        in air: PeerProcess
    ) async throws {
        self.address = address
        member = BumbleDevice(process: air, address: address)
        channels = BumbleChannels(member)
        let script: [String: any Swift.Sendable] = [
            "address": address, "name": "Node", "identity": packed(identity),
            "advertises": advertises, "omits": omits, "behaviour": behaviour.rawValue,
        ]
        try await air.order("addNode", ["script": script])
    }

    // MARK: The air

    package func setAdvertising(_ isOn: Bool) async throws {
        try await member.order("setAdvertising", ["on": isOn])
    }
    package func leaveRange() async throws { try await member.order("goAway") }
    package func returnToRange() async throws { try await member.order("comeBack") }
    /// Loses the link without a message, as a node that moves out of range.
    package func loseLink() async throws { try await member.order("vanish") }
    package func disconnect() async throws { try await member.order("leave") }
    package func isConnected() async throws -> Bool {
        try await member.order("report").isConnected ?? false
    }

    // MARK: The central

    /// Connects to the adapter under test, or uses the link that exists, and subscribes to RX.
    ///
    /// - Returns: The identity of the other node.
    @discardableResult
    package func connect() async throws -> [UInt8] {
        unpacked(try await member.order("dial").value ?? "")
    }
    package func readIdentity() async throws -> [UInt8] {
        unpacked(try await member.order("readIdentity").value ?? "")
    }
    package func readPSM() async throws -> UInt16 {
        UInt16(try await member.order("readPSM").psm ?? 0)
    }
    /// Writes values to TX of the dialled node, each after the response to the previous one.
    ///
    /// - Throws: ``TestbedATTError``.
    package func write(_ values: [[UInt8]], isAnswered: Bool = true) async throws {
        let details: [String: any Swift.Sendable] = [
            "values": values.map(packed), "response": isAnswered,
        ]
        let answer = try await member.order("write", details)
        if let code = answer.code { throw TestbedATTError(code: UInt8(code)) }
    }
    /// The notifications of the dialled node, as soon as there are `count`.
    package func receivedValues(_ count: Int) async throws -> [[UInt8]] {
        (try await member.order("heard", ["count": count]).values ?? []).map(unpacked)
    }

    // MARK: The peripheral

    package func notify(_ values: [[UInt8]]) async throws {
        try await member.order("notify", ["values": values.map(packed)])
    }
    /// The values written to TX, as soon as there are `count`.
    package func writtenValues(_ count: Int) async throws -> [[UInt8]] {
        (try await member.order("taken", ["count": count]).values ?? []).map(unpacked)
    }
    package func subscribed() async throws {
        try await member.order("subscribed", ["count": 1])
    }
    /// Changes the identity, while the advertisement is withdrawn.
    package func rotate(to identity: [UInt8]) async throws {
        try await member.order("rotate", ["identity": packed(identity)])
    }
    /// Listens for channels and serves the PSM.
    package func publish(_ behaviour: TestbedChannelOptions.Behavior) async throws {
        try await member.order("publish", ["behaviour": behaviour.rawValue])
    }
}

extension ScenarioContext {
    /// Adds a node of bumble's to the air.
    ///
    /// - Parameters:
    ///   - number: Names the node; its address ends with it.
    ///   - identity: The value of the ID characteristic, any length.
    ///   - advertises: Whether the node advertises from the start.
    ///   - omits: The characteristics that its service lacks: `TX`, `RX`, `ID`, `PSM`.
    ///   - behaviour: How the node treats other nodes.
    /// - Returns: The node.
    /// - Throws: ``TestbedError`` on a testbed without a foreign air.
    package func meshNode(
        _ number: Int,
        identity: [UInt8],
        advertises: Bool = true,
        omits: [String] = [],
        _ behaviour: BumbleMeshNode.Behavior = .plays
    ) async throws -> BumbleMeshNode {
        guard let testbed = testbed as? BumbleTestbed else {
            throw TestbedError("only the machine has nodes of bumble's")
        }
        return try await testbed.addDevice { air in
            try await BumbleMeshNode(
                "E0:00:00:00:00:0\(number)",
                identity: identity,
                advertises: advertises,
                omits: omits,
                behaviour,
                in: air
            )
        }
    }
}
