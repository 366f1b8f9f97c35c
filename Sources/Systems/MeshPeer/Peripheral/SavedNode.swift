internal import BluejayBlueZ
internal import FoundationEssentials

/// The identity of a node and its rotation interval, for the next run.
struct SavedNode: PersistedState, Equatable {
    static let currentVersion = 1

    var version = Self.currentVersion
    var identifier: String
    var identity = Data()
    /// In seconds; `nil` is the interval of the settings.
    var rotationInterval: Double?
}
