internal import BluejayBlueZ
internal import BluejayGLib
internal import FoundationEssentials

/// The state file of a radio; without a restore identifier every call does nothing.
final class RadioStore {
    private let settings: RadioSettings
    private let log: Log
    private var saved: SavedRadio?

    init(_ settings: RadioSettings, log: Log) {
        self.settings = settings
        self.log = log
    }

    /// The radio in the file, once the file is loaded.
    var device: UUID? { saved?.device }

    /// Loads the file.
    ///
    /// - Returns: Whether this call loaded it; later calls do nothing.
    func load() -> Bool {
        guard saved == nil, let file, let identifier = settings.restoreIdentifier else {
            return false
        }
        saved = file.load(log: log) ?? SavedRadio(identifier: identifier)
        return true
    }

    func save(_ device: UUID?) {
        guard let file, saved?.device != device else { return }
        saved?.device = device
        if let saved { file.save(saved, log: log) }
    }

    private var file: StateFile<SavedRadio>? {
        settings.restoreIdentifier.map { StateFile($0, in: settings.stateDirectory) }
    }
}

/// The state that the next run restores.
struct SavedRadio: PersistedState, Equatable {
    static let currentVersion = 1

    var version = Self.currentVersion
    var identifier: String
    /// The radio that was connected and was not disconnected on request.
    var device: UUID?
}
