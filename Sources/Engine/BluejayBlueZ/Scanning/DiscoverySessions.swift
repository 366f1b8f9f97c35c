internal import BluejayDBus

/// The discovery sessions of all adapters.
package final class DiscoverySessions {
    let client: BlueZClient
    private var sessions: [ObjectPath: DiscoverySession] = [:]
    private var externalDiscoveryTrackers: [ObjectPath: ExternalDiscoveryTracker] = [:]

    init(_ client: BlueZClient) {
        self.client = client
    }

    /// The only session of an adapter.
    func session(of adapter: ObjectPath) -> DiscoverySession {
        if let session = sessions[adapter] { return session }
        let session = DiscoverySession(client, adapter: adapter)
        sessions[adapter] = session
        return session
    }

    /// Whether an adapter's discovery belongs to other programs; nil if unknown.
    func isExternalDiscovery(_ adapter: ObjectPath, _ isDiscovering: Bool) -> Bool? {
        externalDiscoveryTrackers[adapter, default: ExternalDiscoveryTracker()].observed(
            isDiscovering: isDiscovering,
            isLocal: sessions[adapter]?.isDiscovering == true
        )
    }
}
