/// The most recent elements, and their total number.
struct BoundedHistory<Element> {
    static var capacity: Int { 10_000 }

    private(set) var count = 0
    private var elements: [Element] = []

    /// The kept elements, the oldest first.
    var last: [Element] {
        elements.count > Self.capacity ? Array(elements.suffix(Self.capacity)) : elements
    }

    /// Appends an element; the array is trimmed only when it reaches twice the limit.
    mutating func append(_ element: Element) {
        count += 1
        elements.append(element)
        if elements.count == 2 * Self.capacity { elements.removeFirst(Self.capacity) }
    }
}

extension BoundedHistory: Swift.Sendable where Element: Swift.Sendable {}

/// The reads, writes and sent values of a scripted device, with full UUIDs of the characteristics.
final class TrafficHistory {
    private(set) var writes = BoundedHistory<(characteristic: String, value: [UInt8])>()
    /// A long read counts once.
    private(set) var reads = BoundedHistory<String>()
    private(set) var sent = BoundedHistory<(characteristic: String, value: [UInt8])>()

    /// Discards all elements; the numbers start again.
    func removeAll() {
        (writes, reads, sent) = (BoundedHistory(), BoundedHistory(), BoundedHistory())
    }

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
