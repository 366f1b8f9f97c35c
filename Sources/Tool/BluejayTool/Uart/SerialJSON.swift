import Foundation

struct SerialJSON: RecordContent {
    static let type = RecordType.serial
    /// The received bytes.
    let value: Data
}
