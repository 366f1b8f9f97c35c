/// The scopes of one instance that share its connection; the last one ends it.
package struct ConnectionScopes: Equatable, Swift.Sendable {
    private var openCount = 0
    private var hasConnected = false

    package mutating func open() {
        openCount += 1
    }

    package mutating func connected() {
        hasConnected = true
    }

    /// - Returns: Whether to disconnect.
    package mutating func close() -> Bool {
        openCount -= 1
        guard openCount == 0 else { return false }
        defer { hasConnected = false }
        return hasConnected
    }
}
