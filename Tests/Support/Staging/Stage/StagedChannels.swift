/// L2CAP channels of somebody foreign, which has a link to the adapter of the program under test.
///
/// Each channel that it has had has a number, from 1 on.
package protocol StagedChannels: AnyObject, Swift.Sendable {
    /// Accepts channels; nil picks a free PSM.
    ///
    /// - Returns: The PSM.
    func listen(_ psm: UInt16?, _ options: StagedChannelOptions) async throws -> UInt16
    /// Accepts no more of them.
    func deafen(_ psm: UInt16) async throws
    /// Opens a channel on the link that there is, and returns its number.
    ///
    /// - Throws: ``StageFailure``, with bumble's word for why it was refused.
    func open(_ psm: UInt16, _ options: StagedChannelOptions) async throws -> Int
    /// Sends so many bytes of ``channelPattern(_:_:)`` in SDUs of a size; returns when all is sent.
    func transmit(_ count: Int, size: Int, on channel: Int) async throws
    /// Sends one SDU.
    func transmit(_ value: [UInt8], on channel: Int) async throws
    /// What a channel has got, as soon as it is so many bytes, or has ended.
    func received(atLeast count: Int, on channel: Int) async throws -> StagedChannel
    /// All channels so far.
    func channels() async throws -> [StagedChannel]
    /// Ends a channel.
    func close(_ channel: Int) async throws
    /// Sends the beginning of an SDU, and ends the channel.
    func tear(_ channel: Int) async throws
}

/// How somebody foreign treats its channels.
package struct StagedChannelOptions: Swift.Sendable {
    /// What it does with what it gets.
    package enum Behaviour: String, Swift.Sendable {
        case counts, echoes
        /// Gives no credits beyond the first.
        case holds
    }
    package var behaviour = Behaviour.counts
    /// The longest SDU that it takes.
    package var mtu = 2048
    /// How many packets may be on their way to it.
    package var credits = 256

    package init() {}
}

/// What a channel of somebody foreign has got.
package struct StagedChannel: Decodable, Equatable, Swift.Sendable {
    package var channel: Int
    package var psm: Int
    package var isOpen: Bool
    package var bytes: Int
    package var sdus: Int
    /// The CRC-32 of all bytes.
    package var sum: UInt32
    /// The longest SDU that the program under test takes.
    package var mtu: Int
}

/// Bytes of the stream that both ends of a channel know, from one place on.
///
/// Its period is no power of two, so that what is lost or comes twice is seen.
package func channelPattern(_ first: Int, _ count: Int) -> [UInt8] {
    (first..<first + count).map { UInt8(($0 % 251) ^ (($0 / 251) & 0xFF)) }
}
