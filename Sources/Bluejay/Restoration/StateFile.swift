internal import BluejayBlueZ
internal import Foundation

/// What is remembered for the next run.
struct SavedState: Codable, Equatable {
    struct Listen: Codable, Hashable {
        var service: String
        var characteristic: String
        // Missing for the first ones, and in files of before 0.2.
        var serviceInstance: Int?
        var instance: Int?
    }

    struct Peripheral: Codable, Equatable {
        var uuid: UUID
        var name: String

        /// Nil for what is no peripheral of BlueZ.
        var identifier: PeripheralIdentifier? {
            let identifier = PeripheralIdentifier(uuid: uuid, name: name)
            return identifier.deviceAddress == nil ? nil : identifier
        }
    }

    static let currentVersion = 1

    /// The layout of the file.
    var version = Self.currentVersion
    /// The restore identifier, so that a file that was moved is not taken for another's.
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

/// The file that remembers.
struct StateFile {
    private let identifier: String
    let url: URL

    init(_ config: BackgroundRestoreConfig) {
        identifier = config.restoreIdentifier
        let directory =
            config.stateDirectory
            ?? Self.standardDirectory(ProcessInfo.processInfo.environment)
        url = directory.appendingPathComponent(Self.fileName(of: identifier))
    }

    /// `bluejay` under the state directory of the XDG Base Directory Specification 0.8.
    static func standardDirectory(_ environment: [String: String]) -> URL {
        // A relative path is invalid there and has to be ignored.
        let state =
            environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? NSHomeDirectory() + "/.local/state"
        return URL(fileURLWithPath: state).appendingPathComponent("bluejay")
    }

    /// A name without a slash, also for an identifier that has some.
    static func fileName(of identifier: String) -> String {
        let allowed = CharacterSet(
            charactersIn:
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_."
        )
        let escaped = identifier.addingPercentEncoding(withAllowedCharacters: allowed)
        return (escaped ?? "state") + ".json"
    }

    /// Reads what is remembered; nil when there is nothing, or nothing that can be used.
    func load(log: Log?) -> SavedState? {
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        do {
            let state = try JSONDecoder().decode(SavedState.self, from: Data(contentsOf: url))
            guard state.version == SavedState.currentVersion, state.identifier == identifier else {
                log?.warning(
                    "the file is of another version or identifier; it is ignored",
                    ["path": url.path, "identifier": identifier]
                )
                return nil
            }
            return state
        } catch {
            log?.warning(
                "the file cannot be read and is ignored",
                ["path": url.path, "error": "\(error)"]
            )
            return nil
        }
    }

    /// Remembers; a reader finds the old file or the new one, never half of one.
    func save(_ state: SavedState, log: Log) {
        do {
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(),
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            try encoder.encode(state).write(to: url, options: .atomic)
        } catch {
            log.warning(
                "the file cannot be written",
                ["path": url.path, "error": "\(error)"]
            )
        }
    }
}
