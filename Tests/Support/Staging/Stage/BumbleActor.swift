internal import Foundation

/// An actor that bumble serves in an air: `Tests/ExternalPeers/bumble_bleu.py`.
package final class BumbleActor: Swift.Sendable {
    /// The change of one answer.
    package enum Misbehavior: String, CaseIterable, Swift.Sendable {
        case twice
        /// One bit of the last frame is flipped.
        case flipped
        case version15
        /// The frames are sent with the last one first.
        case backwards
        /// An answer to a call that was never made is sent first.
        case otherCall
        /// An answer of another session is sent first.
        case otherSession
        /// The length in the first frame is 4 GiB.
        case long
        case silent
    }

    package let address: String
    private let member: BumbleDevice

    init(_ address: String, passkey: UInt32?, in air: PeerProcess) async throws {
        self.address = address
        member = BumbleDevice(process: air, address: address)
        var script: [String: any Swift.Sendable] = ["address": address]
        if let passkey { script["passkey"] = Int(passkey) }
        try await air.order("addActor", ["script": script])
    }

    /// Changes the next answer.
    package func misbehave(_ how: Misbehavior) async throws {
        try await member.order("misbehave", ["how": how.rawValue])
    }
    package func setAdvertising(_ isOn: Bool) async throws {
        try await member.order("setAdvertising", ["on": isOn])
    }
    package func disconnect() async throws { try await member.order("leave") }
    /// Loses the link without a message.
    package func loseLink() async throws { try await member.order("vanish") }
    package func isConnected() async throws -> Bool {
        try await member.order("report").isConnected ?? false
    }
    /// The number of reads and calls that have arrived.
    package func calls() async throws -> Int { try await member.order("report").count ?? 0 }
}

/// A central of bumble's that calls actors.
package final class BumbleCaller: Swift.Sendable {
    /// The last message of an answer.
    package struct Answer: Equatable, Swift.Sendable {
        /// The name of the message, as `value`.
        package var kind: String?
        package var text: String?
        package var values: [String]?

        package init(_ kind: String?, _ text: String? = nil, _ values: [String]? = nil) {
            self.kind = kind
            self.text = text
            self.values = values
        }
    }

    package let address: String
    private let member: BumbleDevice

    init(_ address: String, in air: PeerProcess) async throws {
        self.address = address
        member = BumbleDevice(process: air, address: address)
        try await air.order("addCentral", ["address": address, "name": "Caller"])
    }

    /// Connects to the adapter under test and finds the service of an actor.
    package func open(_ type: String) async throws {
        try await member.order("connect", ["mtu": 517])
        try await member.order("openActor", ["type": type])
    }
    package func pair(passkey: UInt32) async throws {
        try await member.order("setPasskey", ["passkey": Int(passkey)])
        try await member.order("pair")
    }
    package func read(_ method: String) async throws -> Answer {
        try await perform("readActor", ["method": method])
    }
    package func call(_ method: String, _ arguments: String) async throws -> Answer {
        try await perform("callActor", ["method": method, "arguments": arguments])
    }
    /// Receives elements; cancels the stream after `count` of them.
    package func stream(_ method: String, _ arguments: String, count: Int) async throws -> Answer {
        let details: [String: any Swift.Sendable] = [
            "method": method, "arguments": arguments, "count": count,
        ]
        return try await perform("streamActor", details)
    }
    /// Writes frames of random bytes.
    package func sendNoise(_ method: String, count: Int, seed: Int) async throws {
        try await member.order("sendNoise", ["method": method, "count": count, "seed": seed])
    }
    /// Leaves in the middle of a message.
    package func breakOff(_ method: String) async throws {
        try await member.order("breakOff", ["method": method])
    }
    package func disconnect() async throws { try await member.order("leave") }

    private func perform(
        _ command: String,
        _ details: [String: any Swift.Sendable]
    ) async throws -> Answer {
        let message = try await member.order(command, details)
        if let code = message.code { throw TestbedATTError(code: UInt8(code)) }
        return Answer(message.kind, message.text, message.values)
    }
}

extension ScenarioContext {
    /// Adds an actor of bumble's to the air.
    ///
    /// - Parameters:
    ///   - number: The end of its address.
    ///   - passkey: Shown for pairing, which calls then need.
    /// - Returns: The actor.
    /// - Throws: ``TestbedError`` on a testbed without a foreign air.
    package func bumbleActor(_ number: Int, passkey: UInt32? = nil) async throws -> BumbleActor {
        try await bumbleTestbed().addDevice {
            try await BumbleActor("E8:00:00:00:00:0\(number)", passkey: passkey, in: $0)
        }
    }

    /// Adds a central of bumble's that calls actors.
    ///
    /// - Parameter number: The end of its address.
    /// - Returns: The central.
    /// - Throws: ``TestbedError`` on a testbed without a foreign air.
    package func bumbleCaller(_ number: Int) async throws -> BumbleCaller {
        try await bumbleTestbed().addDevice {
            try await BumbleCaller("F8:00:00:00:00:0\(number)", in: $0)
        }
    }

    private func bumbleTestbed() throws -> BumbleTestbed {
        guard let testbed = testbed as? BumbleTestbed else {
            throw TestbedError("only the machine has members of bumble's")
        }
        return testbed
    }
}
