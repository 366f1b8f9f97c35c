/// The reads, writes and sent values of a scripted device, with full UUIDs of the characteristics.
final class TrafficHistory {
    private(set) var writes = BoundedHistory<(characteristic: String, value: [UInt8])>()
    /// A long read counts once.
    private(set) var reads = BoundedHistory<String>()
    private(set) var sent = BoundedHistory<(characteristic: String, value: [UInt8])>()

    func recordWrite(_ characteristic: String, _ value: [UInt8]) {
        writes.append((characteristic, value))
    }

    func recordRead(_ characteristic: String) {
        reads.append(characteristic)
    }

    func recordSent(_ characteristic: String, _ value: [UInt8]) {
        sent.append((characteristic, value))
    }
}
