internal import BluejayGLib
package import FoundationEssentials

/// The state that a program saves for its next run.
package protocol PersistedState: Codable {
    /// The layout version that this program uses.
    static var currentVersion: Int { get }

    var version: Int { get }

    /// The owner of the state; reveals a file that was moved from another owner.
    var identifier: String { get }
}

/// The file with the state of one user of the engine between two runs.
package struct StateFile<State: PersistedState> {
    private let identifier: String
    package let url: URL
    private let isInStandardDirectory: Bool

    /// Creates a reference to a file named after the identifier, without reading or writing it.
    ///
    /// A nil `directory` is `standardDirectory`.
    package init(_ identifier: String, in directory: URL?) {
        self.identifier = identifier
        isInStandardDirectory = directory == nil
        let directory =
            directory ?? Self.standardDirectory(ProcessInfo.processInfo.environment)
        url = directory.appendingPathComponent(Self.fileName(of: identifier))
    }

    /// `bluejay` under the state directory of the XDG Base Directory Specification 0.8.
    package static func standardDirectory(_ environment: [String: String]) -> URL {
        // The specification requires that a relative path is ignored.
        let state =
            environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? FileManager.default.homeDirectoryForCurrentUser.path + "/.local/state"
        return URL(fileURLWithPath: state).appendingPathComponent("bluejay")
    }

    /// The file name of an identifier, percent-encoded.
    package static func fileName(of identifier: String) -> String {
        let allowed = Set(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.".utf8
        )
        let escaped = identifier.utf8.map { byte in
            if allowed.contains(byte) { return String(UnicodeScalar(byte)) }
            let digits = String(byte, radix: 16, uppercase: true)
            return byte < 16 ? "%0\(digits)" : "%\(digits)"
        }
        return escaped.joined() + ".json"
    }

    /// Reads the state; nil if the file is missing or unusable.
    package func load(log: Log?) -> State? {
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        do {
            let state = try JSONDecoder().decode(State.self, from: Data(contentsOf: url))
            guard state.version == State.currentVersion, state.identifier == identifier else {
                log?.warning(
                    "state file ignored: version or identifier mismatch",
                    ["path": url.path, "identifier": identifier]
                )
                return nil
            }
            return state
        } catch {
            log?.warning(
                "state file ignored: unreadable",
                ["path": url.path, "error": "\(error)"]
            )
            return nil
        }
    }

    /// Writes the state; a reader finds either the old file or the complete new one.
    package func save(_ state: State, log: Log) {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            try PrivateFile(url, ownsFolder: isInStandardDirectory).write(encoder.encode(state))
        } catch {
            log.warning(
                "state file not saved",
                ["path": url.path, "error": "\(error)"]
            )
        }
    }
}
