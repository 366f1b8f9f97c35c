import Foundation

struct ChannelJSON: RecordContent {
    static let type = RecordType.channel
    let psm: Int
    /// A received packet.
    let value: Data
}
