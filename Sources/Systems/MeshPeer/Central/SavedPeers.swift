internal import BluejayBlueZ
internal import BluejayGLib
internal import FoundationEssentials

/// The connected peers, for the next run.
struct SavedPeers: PersistedState, Equatable {
    static let currentVersion = 1

    var version = Self.currentVersion
    var identifier: String
    var peers: [UUID] = []
    /// The peers whose links this program made.
    var dialledPeers: [UUID] = []

    /// Loads the peers of the previous run; `nil` without a restore identifier.
    static func load(_ settings: BLECentralManager.Settings, _ log: Log) -> SavedPeers? {
        guard let identifier = settings.restoreIdentifier else { return nil }
        let file = StateFile<SavedPeers>(identifier, in: settings.stateDirectory)
        return file.load(log: log) ?? SavedPeers(identifier: identifier)
    }

    mutating func save(
        _ peers: [UUID],
        dialled dialledPeers: [UUID],
        _ settings: BLECentralManager.Settings,
        _ log: Log
    ) {
        guard peers != self.peers || dialledPeers != self.dialledPeers else { return }
        self.peers = peers
        self.dialledPeers = dialledPeers
        StateFile<SavedPeers>(identifier, in: settings.stateDirectory).save(self, log: log)
    }
}
