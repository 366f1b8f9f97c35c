/// The most recent elements, and their total number.
struct BoundedHistory<Element> {
    static var limit: Int { 10_000 }

    private(set) var count = 0
    private var kept: [Element] = []

    /// The kept elements, the oldest first.
    var last: [Element] { kept.count > Self.limit ? Array(kept.suffix(Self.limit)) : kept }

    /// Appends an element; the array is trimmed only when it reaches twice the limit.
    mutating func append(_ element: Element) {
        count += 1
        kept.append(element)
        if kept.count == 2 * Self.limit { kept.removeFirst(Self.limit) }
    }
}

extension BoundedHistory: Swift.Sendable where Element: Swift.Sendable {}
