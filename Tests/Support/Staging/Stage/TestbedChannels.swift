/// The L2CAP channels of a foreign device that has a link to the adapter of the program under test.
///
/// Channels are numbered from 1 on.
package protocol TestbedChannels: AnyObject, Swift.Sendable {
    /// Accepts channels; `nil` picks a free PSM.
    ///
    /// - Returns: The PSM.
    func listen(_ psm: UInt16?, _ options: TestbedChannelOptions) async throws -> UInt16
    /// Stops accepting channels.
    func stopListening(_ psm: UInt16) async throws
    /// Opens a channel on the existing link, and returns its number.
    ///
    /// - Throws: ``TestbedError``, with bumble's reason for the rejection.
    func open(_ psm: UInt16, _ options: TestbedChannelOptions) async throws -> Int
    /// Sends this many bytes of ``channelPattern(_:_:)`` in SDUs of a size; returns when all are sent.
    func transmit(_ count: Int, size: Int, on channel: Int) async throws
    func transmit(_ value: [UInt8], on channel: Int) async throws
    /// Returns the received bytes of a channel, once they are `count` or the channel has ended.
    func received(atLeast count: Int, on channel: Int) async throws -> TestbedChannel
    func channels() async throws -> [TestbedChannel]
    func close(_ channel: Int) async throws
    /// Sends the beginning of an SDU, then closes the channel.
    func abort(_ channel: Int) async throws
}

/// The behaviour of a foreign device's channels.
package struct TestbedChannelOptions: Swift.Sendable {
    /// The treatment of received data.
    package enum Behavior: String, Swift.Sendable {
        case counts, echoes
        /// Grants no credits after the first ones.
        case holds
    }
    package var behavior = Behavior.counts
    /// The longest SDU that it accepts.
    package var mtu = 2048
    /// The maximum number of packets in flight to it.
    package var credits = 256

    package init() {}
}

/// The state of a foreign device's channel.
package struct TestbedChannel: Decodable, Equatable, Swift.Sendable {
    package var channel: Int
    package var psm: Int
    package var isOpen: Bool
    package var bytes: Int
    package var sdus: Int
    package var sum: UInt32
    /// The longest SDU that the program under test accepts.
    package var mtu: Int
}

/// Returns bytes of the test stream that both ends know, from an offset on.
///
/// The period is not a power of two, so that lost and repeated parts are detected.
package func channelPattern(_ first: Int, _ count: Int) -> [UInt8] {
    (first..<first + count).map { place -> UInt8 in
        let (round, rest) = place.quotientAndRemainder(dividingBy: 251)
        return UInt8(rest) ^ UInt8(round % 256)
    }
}
