import BluejayBlueZ
import Foundation
import Testing

@testable import Bluejay

@Suite("The state file")
struct StateFileTests {
    private let folder: StateFolder

    init() throws { folder = try StateFolder() }

    private let state = SavedState(
        identifier: "demo",
        peripheral: SavedState.Peripheral(uuid: UUID(), name: "Gadget"),
        listens: [SavedState.Listen(service: "180D", characteristic: "2A37")]
    )

    @Test(
        "A saved listen without an instance is read and written as the first instance"
    )
    func instances() throws {
        let old = #"{"characteristic":"2A37","service":"180D"}"#
        let read = try JSONDecoder().decode(SavedState.Listen.self, from: Data(old.utf8))
        let measurement = CharacteristicIdentifier(
            uuid: "2A37",
            service: ServiceIdentifier(uuid: "180D")
        )
        #expect(read.identifier == measurement)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let written = try encoder.encode(SavedState.Listen(measurement))
        #expect(String(decoding: written, as: UTF8.self) == old)
        let third = CharacteristicIdentifier(
            uuid: "2A37",
            service: ServiceIdentifier(uuid: "180D", instance: 1),
            instance: 2
        )
        #expect(SavedState.Listen(third).identifier == third)
    }

    // MARK: Location

    @Test("The state file is in `bluejay` below $XDG_STATE_HOME")
    func stateHome() {
        let directory = StateFile<SavedState>.standardDirectory(["XDG_STATE_HOME": "/var/lib/state"]
        )
        #expect(directory.path == "/var/lib/state/bluejay")
    }

    @Test(
        "The state file is below ~/.local/state if $XDG_STATE_HOME is missing, empty or relative",
        arguments: [[:], ["XDG_STATE_HOME": ""], ["XDG_STATE_HOME": "state"]]
    )
    func fallback(environment: [String: String]) {
        let directory = StateFile<SavedState>.standardDirectory(environment)
        #expect(directory.path == NSHomeDirectory() + "/.local/state/bluejay")
    }

    @Test("A configuration without a directory uses the standard one")
    func standardDirectory() {
        let config = BackgroundRestoreConfig(
            restoreIdentifier: "com.example.demo",
            backgroundRestorer: Restorer(),
            listenRestorer: Restorer()
        )
        let standard = StateFile<SavedState>.standardDirectory(ProcessInfo.processInfo.environment)
        #expect(StateFile(config).url.path == standard.path + "/com.example.demo.json")
    }

    @Test(
        "File names stay inside the directory and differ for each identifier",
        arguments: [
            ("com.example.demo", "com.example.demo.json"), ("a/b", "a%2Fb.json"),
            ("a%2Fb", "a%252Fb.json"), ("..", "...json"),
            ("../../etc/passwd", "..%2F..%2Fetc%2Fpasswd.json"),
            ("", ".json"), ("ü \n\0", "%C3%BC%20%0A%00.json"),
        ]
    )
    func names(identifier: String, name: String) throws {
        let file = folder.file(identifier)
        #expect(file.url.lastPathComponent == name)
        #expect(file.url.deletingLastPathComponent().path == folder.url.path)
        file.save(SavedState(identifier: identifier), log: folder.log)
        #expect(try folder.contents() == [name])
        #expect(file.load(log: folder.log) == SavedState(identifier: identifier))
        #expect(folder.lines == [])
    }

    @Test("A name that is too long for a file is logged")
    func longName() {
        let identifier = String(repeating: "x", count: 300)
        let file = folder.file(identifier)
        file.save(SavedState(identifier: identifier), log: folder.log)
        #expect(file.load(log: folder.log) == nil)
        #expect(folder.lines.count == 1)
    }

    // MARK: Reading

    @Test("A missing file restores nothing and logs nothing")
    func missing() {
        #expect(folder.file().load(log: folder.log) == nil)
        #expect(folder.lines == [])
    }

    @Test("A saved state is loaded unchanged")
    func roundTrip() {
        folder.file().save(state, log: folder.log)
        #expect(folder.file().load(log: folder.log) == state)
        #expect(folder.lines == [])
    }

    @Test(
        "A damaged file is ignored and logged",
        arguments: [
            "", "{", "[]", "null", "\0\0\0", #"{"version": 1}"#,
            #"{"version": "1", "identifier": "demo", "listens": []}"#,
            #"{"version": 1, "identifier": "demo", "listens": [], "peripheral": {"uuid": "x", "name": ""}}"#,
        ]
    )
    func damaged(text: String) throws {
        try Data(text.utf8).write(to: folder.file().url)
        #expect(folder.file().load(log: folder.log) == nil)
        #expect(folder.lines.count == 1)
    }

    @Test("Bytes that are not text are ignored and logged")
    func noText() throws {
        try Data([0xFF, 0xFE, 0x80]).write(to: folder.file().url)
        #expect(folder.file().load(log: folder.log) == nil)
        #expect(folder.lines.count == 1)
    }

    @Test("A file of another version is ignored and logged")
    func foreignVersion() {
        var state = state
        state.version = 2
        folder.file().save(state, log: folder.log)
        #expect(folder.file().load(log: folder.log) == nil)
        #expect(folder.lines.count == 1)
    }

    @Test("A file of another identifier is ignored and logged")
    func foreignIdentifier() throws {
        folder.file("other").save(SavedState(identifier: "other"), log: folder.log)
        try FileManager.default.moveItem(at: folder.file("other").url, to: folder.file().url)
        #expect(folder.file().load(log: folder.log) == nil)
        #expect(folder.lines.count == 1)
    }

    // MARK: Obstacles

    @Test("A directory in place of the file is logged and kept")
    func directory() throws {
        let inside = folder.file().url.appending(path: "inside")
        try FileManager.default.createDirectory(at: inside, withIntermediateDirectories: true)
        #expect(folder.file().load(log: folder.log) == nil)
        #expect(folder.lines.count == 1)
        folder.file().save(state, log: folder.log)
        #expect(folder.lines.count == 2)
        #expect(FileManager.default.fileExists(atPath: inside.path))
        #expect(try folder.contents() == ["demo.json"])
    }

    @Test("A dangling symbolic link counts as no file")
    func deadLink() throws {
        try FileManager.default.createSymbolicLink(
            atPath: folder.file().url.path,
            withDestinationPath: "/nowhere/at/all"
        )
        #expect(folder.file().load(log: folder.log) == nil)
    }

    // Permissions do not stop root, who runs the tests in a container; a file in place of a directory stops
    // every user.
    @Test("A directory that cannot be created is logged")
    func unwritable() throws {
        let obstacle = folder.url.appending(path: "obstacle")
        try Data().write(to: obstacle)
        var config = folder.config("demo", Restorer())
        config.stateDirectory = obstacle.appending(path: "bluejay")
        StateFile(config).save(state, log: folder.log)
        #expect(folder.lines.count == 1)
        #expect(StateFile(config).load(log: folder.log) == nil)
    }

    // MARK: Writing

    @Test("A missing directory is created with access for the user only")
    func madeDirectory() throws {
        var config = folder.config("demo", Restorer())
        let directory = folder.url.appending(path: "a/b/bluejay")
        config.stateDirectory = directory
        StateFile(config).save(state, log: folder.log)
        #expect(StateFile(config).load(log: folder.log) == state)
        let attributes = try FileManager.default.attributesOfItem(atPath: directory.path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o700)
    }

    @Test("Other users cannot read the file, and an existing folder keeps its mode")
    func privacy() throws {
        func mode(_ url: URL) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
        }
        let file = folder.file()
        try Data().write(to: file.url)
        for (path, mode) in [(file.url.path, 0o644), (folder.url.path, 0o755)] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        }
        file.save(state, log: folder.log)
        #expect(try mode(file.url) == 0o600)
        #expect(try mode(folder.url) == 0o755)
        try FileManager.default.removeItem(at: file.url)
        file.save(state, log: folder.log)
        #expect(try mode(file.url) == 0o600)
        #expect(folder.file().load(log: folder.log) == state)
    }

    @Test("The file is replaced atomically: open readers keep the old content")
    func atomic() throws {
        folder.file().save(state, log: folder.log)
        let old = try Data(contentsOf: folder.file().url)
        let reader = try FileHandle(forReadingFrom: folder.file().url)
        folder.file().save(SavedState(identifier: "demo"), log: folder.log)
        #expect(try reader.readToEnd() == old)
        #expect(try folder.contents() == ["demo.json"])
    }
}
