internal import FoundationEssentials

/// The methods and producers of a server that nothing waits for any longer, until they end.
///
/// A method may ignore its cancellation, and outlast the link of its central. The count therefore belongs to the server.
///
/// Confined to the loop of the host.
final class AbandonedWork {
    /// One method or producer.
    final class Token {}

    /// The number of centrals whose whole allowance a server accepts, since an address is easily changed.
    private static let centralCount = 4

    /// The central of each token, or `nil` for one that bluetoothd has not named.
    private var centrals: [ObjectIdentifier: UUID?] = [:]

    func add(_ token: Token, of central: UUID?) {
        centrals[ObjectIdentifier(token)] = .some(central)
    }

    func remove(_ token: Token) {
        centrals[ObjectIdentifier(token)] = nil
    }

    /// Follows a central whose address pairing has replaced.
    func moved(_ old: UUID, to new: UUID) {
        for (token, central) in centrals where central == old { centrals[token] = .some(new) }
    }

    /// Returns the number that counts against the allowance of a central.
    ///
    /// - Parameters:
    ///   - central: The central.
    ///   - allowance: The allowance of each central.
    /// - Returns: The number of the central, or the allowance if the server is full.
    func load(of central: UUID?, allowance: Int) -> Int {
        let own = centrals.values.count { $0 == central }
        let isFull = centrals.count / Self.centralCount >= allowance
        return isFull ? max(own, allowance) : own
    }
}
