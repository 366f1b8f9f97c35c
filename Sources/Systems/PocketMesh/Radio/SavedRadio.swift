internal import BluejayBlueZ
internal import FoundationEssentials

/// The state that the next run restores.
struct SavedRadio: PersistedState, Equatable {
    static let currentVersion = 1

    var version = Self.currentVersion
    var identifier: String
    /// The radio that was connected and was not disconnected on request.
    var device: UUID?
}
