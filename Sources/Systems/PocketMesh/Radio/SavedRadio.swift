internal import BluejayBlueZ
internal import FoundationEssentials

/// What the next run goes on with.
struct SavedRadio: PersistedState, Equatable {
    static let currentVersion = 1

    var version = Self.currentVersion
    var identifier: String
    /// The radio that was connected, and that nobody asked to disconnect.
    var device: UUID?
}
