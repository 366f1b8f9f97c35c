internal import BluejayBlueZ
internal import FoundationEssentials

/// The state that is saved for the next run.
struct SavedState: PersistedState, Equatable {
    struct Listen: Codable, Hashable {
        var service: String
        var characteristic: String
        // Omitted for the first instance, and in files before version 0.2.
        var serviceInstance: Int?
        var instance: Int?
    }

    struct Peripheral: Codable, Equatable {
        var uuid: UUID
        var name: String

        /// The identifier, or `nil` if the peripheral does not belong to BlueZ.
        var identifier: PeripheralIdentifier? {
            let identifier = PeripheralIdentifier(uuid: uuid, name: name)
            return identifier.deviceAddress == nil ? nil : identifier
        }
    }

    static let currentVersion = 1

    var version = Self.currentVersion
    /// The restore identifier, which detects a file that was moved.
    var identifier: String
    var peripheral: Peripheral?
    var listens: [Listen] = []
}

extension SavedState.Listen {
    init(_ identifier: CharacteristicIdentifier) {
        func unlessFirst(_ instance: Int) -> Int? { instance == 0 ? nil : instance }
        service = identifier.service.uuid.uuidString
        characteristic = identifier.uuid.uuidString
        serviceInstance = unlessFirst(identifier.service.instance)
        instance = unlessFirst(identifier.instance)
    }

    var identifier: CharacteristicIdentifier {
        CharacteristicIdentifier(
            uuid: characteristic,
            service: ServiceIdentifier(uuid: service, instance: serviceInstance ?? 0),
            instance: instance ?? 0
        )
    }
}

extension StateFile<SavedState> {
    init(_ config: BackgroundRestoreConfig) {
        self.init(config.restoreIdentifier, in: config.stateDirectory)
    }
}

extension BackgroundRestoreConfig {
    /// Whether an earlier run has left a state to restore.
    public var isRestoringFromBackground: Bool {
        StateFile(self).load(log: nil)?.peripheral?.identifier != nil
    }
}
