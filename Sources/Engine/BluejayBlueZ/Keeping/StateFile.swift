internal import BluejayGLib
package import FoundationEssentials

/// What a program remembers for its next run.
package protocol PersistedState: Codable {
    /// The layout that this program writes and reads.
    static var currentVersion: Int { get }

    /// The layout of the file.
    var version: Int { get }

    /// Whose state it is, so that a file that was moved is not taken for another's.
    var identifier: String { get }
}

/// The file that remembers the state of one user of the engine between two runs.
package struct StateFile<State: PersistedState> {
    private let identifier: String
    /// Where it is.
    package let url: URL
    private let isInStandardDirectory: Bool

    /// Names a file; nothing is read or written.
    ///
    /// - Parameters:
    ///   - identifier: What the user calls its state; the file is called after it.
    ///   - directory: Nil is the one of `standardDirectory`.
    package init(_ identifier: String, in directory: URL?) {
        self.identifier = identifier
        isInStandardDirectory = directory == nil
        let directory =
            directory ?? Self.standardDirectory(ProcessInfo.processInfo.environment)
        url = directory.appendingPathComponent(Self.fileName(of: identifier))
    }

    /// `bluejay` under the state directory of the XDG Base Directory Specification 0.8.
    package static func standardDirectory(_ environment: [String: String]) -> URL {
        // A relative path is invalid there and has to be ignored.
        let state =
            environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? FileManager.default.homeDirectoryForCurrentUser.path + "/.local/state"
        return URL(fileURLWithPath: state).appendingPathComponent("bluejay")
    }

    /// A name without a slash, also for an identifier that has some.
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

    /// Reads what is remembered; nil when there is nothing, or nothing that can be used.
    package func load(log: Log?) -> State? {
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        do {
            let state = try JSONDecoder().decode(State.self, from: Data(contentsOf: url))
            guard state.version == State.currentVersion, state.identifier == identifier else {
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
    package func save(_ state: State, log: Log) {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            try PrivateFile(url, ownsFolder: isInStandardDirectory).write(encoder.encode(state))
        } catch {
            log.warning(
                "the file cannot be written",
                ["path": url.path, "error": "\(error)"]
            )
        }
    }
}
