/// The medium that carries advertisements and links.
final class RadioMedium {
    private(set) var peers: [any RadioPeer] = []
    private(set) var adapters: [any RadioPeer] = []
    /// The centrals, which connect but do not advertise.
    private var centrals: [any RadioPeer] = []
    /// Signal strengths between two adapters that differ from the default, by the names of both.
    private var strengths: [Set<String>: Int16] = [:]

    func add(_ peer: any RadioPeer) {
        peers.append(peer)
        changed(peer)
    }

    func add(adapter: any RadioPeer) {
        adapters.append(adapter)
        add(adapter)
    }

    func remove(_ peer: any RadioPeer) {
        peers.removeAll { $0 === peer }
        adapters.removeAll { $0 === peer }
    }

    func add(central: any RadioPeer) {
        centrals.append(central)
    }

    func remove(central: any RadioPeer) {
        centrals.removeAll { $0 === central }
    }

    func signalStrength(between pair: Set<String>) -> Int16 { strengths[pair] ?? -50 }

    func setSignalStrength(_ rssi: Int16, between pair: Set<String>) {
        strengths[pair] = rssi
    }

    /// Returns the peer that accepts an adapter's connection attempt now.
    func connectable(
        _ address: RadioAddress,
        for adapter: any RadioPeer
    ) -> (any RadioPeer)? {
        peers.first { adapter.reportedAddress(of: $0) == address && $0.acceptsLinks }
    }

    /// Handles that a peer started, changed or stopped its advertising: controllers report it again.
    func changed(_ peer: any RadioPeer) {
        for adapter in adapters where adapter !== peer { adapter.peerChanged(peer) }
        for central in centrals { central.peerChanged(peer) }
    }
}
