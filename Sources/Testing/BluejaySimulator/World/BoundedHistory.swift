/// The last of what happened, and how much it was in all.
struct BoundedHistory<Element> {
    /// How many are kept.
    static var limit: Int { 10_000 }

    private(set) var count = 0
    private var kept: [Element] = []

    /// What is kept, the oldest first.
    var last: [Element] { kept.count > Self.limit ? Array(kept.suffix(Self.limit)) : kept }

    /// Adds one; the array is cut once in as many times as it is long.
    mutating func append(_ element: Element) {
        count += 1
        kept.append(element)
        if kept.count == 2 * Self.limit { kept.removeFirst(Self.limit) }
    }
}

extension BoundedHistory: Swift.Sendable where Element: Swift.Sendable {}
