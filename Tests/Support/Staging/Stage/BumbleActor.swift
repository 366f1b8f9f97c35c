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

    /// The actions of a user of a central during pairing.
    package enum Pairing: Equatable, Swift.Sendable {
        /// Without display and keyboard.
        case withoutNumber
        /// Shows the passkey.
        case display(UInt32)
        /// Enters the passkey.
        case keyboard(UInt32)
        /// Shows numbers, and enters the passkey.
        case displayAndKeyboard(UInt32)

        fileprivate var capability: String {
            switch self {
            case .withoutNumber: "NoInputNoOutput"
            case .display: "DisplayOnly"
            case .keyboard: "KeyboardOnly"
            case .displayAndKeyboard: "KeyboardDisplay"
            }
        }
        fileprivate var passkey: UInt32? {
            switch self {
            case .withoutNumber: nil
            case .display(let passkey), .keyboard(let passkey), .displayAndKeyboard(let passkey):
                passkey
            }
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
    ///
    /// With `isBonded`, the keys of an earlier pairing encrypt the link.
    package func open(_ type: String, isBonded: Bool = false) async throws {
        try await member.order("connect", ["mtu": 517, "bonded": isBonded])
        try await member.order("openActor", ["type": type])
    }
    /// Pairs, and keeps the keys.
    ///
    /// - Throws: ``TestbedError`` if the server refuses.
    package func pair(_ pairing: Pairing) async throws {
        var details: [String: any Swift.Sendable] = ["io": pairing.capability]
        if let passkey = pairing.passkey { details["passkey"] = Int(passkey) }
        try await member.order("setPairing", details)
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
    /// Subscribes without a frame, receives elements, and unsubscribes after `count` of them.
    package func subscribe(to method: String, count: Int) async throws -> Answer {
        try await perform("subscribeActor", ["method": method, "count": count])
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
    /// Loses the link without a message.
    package func loseLink() async throws { try await member.order("vanish") }

    // MARK: The stranger

    /// Agrees on the keys with which later messages are sealed.
    package func agree(on method: String) async throws {
        try await member.order("agree", ["method": method])
    }
    /// Returns the frames of a call without sending them.
    package func preparedCall(_ method: String, _ arguments: String) async throws -> [String] {
        let details = ["method": method, "arguments": arguments]
        return try await member.order("prepareCall", details).values ?? []
    }
    /// Writes frames, of this central or another.
    ///
    /// - Throws: ``TestbedATTError``.
    package func write(_ frames: [String], to method: String) async throws {
        _ = try await perform("writeFrames", ["method": method, "values": frames])
    }
    /// The session and the last call, as ``imitate(_:_:_:)`` takes them.
    package func numbers() async throws -> String {
        try await member.order("numbers").value ?? ""
    }
    /// Writes a message of each kind, and damaged ones, with the numbers of another central.
    package func imitate(_ numbers: String, _ method: String, _ arguments: String) async throws {
        let details = ["method": method, "arguments": arguments, "value": numbers]
        _ = try await perform("imitate", details)
    }

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
            try await BumbleCaller("F8:00:00:00:00:\(10 + number)", in: $0)
        }
    }

    private func bumbleTestbed() throws -> BumbleTestbed {
        guard let testbed = testbed as? BumbleTestbed else {
            throw TestbedError("only the machine has members of bumble's")
        }
        return testbed
    }
}
