import Foundation
import TestSupport
import Testing

/// Runs `bluejay generate`; the targets of `Tests/Programs/GeneratedClients` compile and run what it writes.
@Suite("bluejay generate", .timeLimit(.minutes(15)))
struct GenerateTests {
    private static let clients = "Tests/Programs/GeneratedClients"

    private static func generate(
        _ arguments: [String],
        in folder: URL
    ) async throws -> Outcome {
        let command = ["env", "-C", folder.path, programPath("bluejay"), "generate"]
        return try await outcome(of: command + arguments)
    }

    private static func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "generate-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }

    private static func files(in folder: URL) throws -> [String: String] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        return names.reduce(into: [:]) { files, name in
            files[name] = try? String(contentsOf: folder.appending(path: name), encoding: .utf8)
        }
    }

    private static func heart() -> String { repositoryFile("\(clients)/heart.yaml").path }

    // MARK: Packages

    /// Device files with the name of the client; `nil` is the name of the device.
    static let devices: [(file: String, name: String?, client: String)] = [
        ("heart.yaml", nil, "HeartRateSensor"), ("station.json", nil, "ClimateStation2000"),
        ("hostile.json", "Hostile", "Hostile"),
    ]

    /// Set `BLUEJAY_WRITE_CLIENTS` to write the packages.
    @Test("The compiled packages are what the generator writes", arguments: devices)
    func packages(file: String, name: String?, client: String) async throws {
        try await Self.withFolder { folder in
            let path = repositoryFile("\(Self.clients)/\(file)").path
            let outcome = try await Self.generate(
                [path] + (name.map { ["--name", $0] } ?? []),
                in: folder
            )
            #expect(outcome.status == 0, "\(outcome.lines)")
            #expect(outcome.lines.first?.hasPrefix("bluejay: wrote \(client) with ") == true)
            let written = try Self.files(in: folder.appending(path: client))
            let compiled = repositoryFile("\(Self.clients)/\(client)")
            if ProcessInfo.processInfo.environment["BLUEJAY_WRITE_CLIENTS"] != nil {
                for (name, text) in written {
                    try Data(text.utf8).write(to: compiled.appending(path: name))
                }
            }
            #expect(try Self.files(in: compiled) == written)
            #expect(written.count == 5)
        }
    }

    @Test("The formatter changes no generated file", arguments: devices.map(\.client))
    func format(client: String) async throws {
        let command = ["swift", "format", "lint", "--strict", "--recursive"]
        let folder = repositoryFile("\(Self.clients)/\(client)").path
        #expect(try await outcome(of: command + [folder]) == Outcome([]))
    }

    @Test("SwiftPM accepts the manifest of a generated package")
    func manifest() async throws {
        let folder = repositoryFile("\(Self.clients)/HeartRateSensor").path
        let command = ["swift", "package", "dump-package", "--package-path", folder]
        let dump = try await outcome(of: command)
        #expect(dump.status == 0)
        #expect(dump.lines.contains { $0.contains("\"HeartRateSensorTests\"") })
    }

    @Test("A program with a generated client reads and receives from the replayed device")
    func program() async throws {
        let program = programPath("heart-client")
        let outcome = try await outcome(of: [
            programPath("bluejay"), "replay", Self.heart(), "--", program,
        ])
        #expect(outcome == Outcome(["battery 90 %", "heart rate 60", "heart rate 61"]))
    }

    // MARK: Options

    @Test("The folder and the name can be chosen, and --force replaces files and keeps others")
    func options() async throws {
        try await Self.withFolder { folder in
            let arguments = [Self.heart(), "--name", "Pulse", "--output", "out/pulse"]
            let first = try await Self.generate(arguments, in: folder)
            #expect(first.status == 0, "\(first.lines)")
            let output = folder.appending(path: "out/pulse")
            let own = output.appending(path: "notes.txt")
            let client = output.appending(path: "Sources/Pulse/Pulse.swift")
            let text = try String(contentsOf: client, encoding: .utf8)
            #expect(text.contains("public struct Pulse: Swift.Sendable {"))
            try Data("mine".utf8).write(to: own)
            try Data().write(to: client)
            let refused = try await Self.generate(arguments, in: folder)
            #expect(
                refused
                    == Outcome(
                        [
                            "bluejay: out/pulse is not empty; --force replaces the files of an "
                                + "earlier run"
                        ],
                        1
                    )
            )
            #expect(try Data(contentsOf: client).isEmpty)
            let forced = try await Self.generate(arguments + ["--force"], in: folder)
            #expect(forced.status == 0)
            #expect(try String(contentsOf: client, encoding: .utf8) == text)
            #expect(try String(contentsOf: own, encoding: .utf8) == "mine")
        }
    }

    @Test("An empty folder is filled, and a device without a name has the name of its file")
    func names() async throws {
        try await Self.withFolder { folder in
            let file = folder.appending(path: "my lamp.json")
            try Data(#"{"version": 1}"#.utf8).write(to: file)
            let output = folder.appending(path: "MyLamp")
            try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
            let outcome = try await Self.generate([file.path], in: folder)
            #expect(outcome.status == 0, "\(outcome.lines)")
            let text = try #require(try Self.files(in: output)["Sources/MyLamp/MyLamp.swift"])
            #expect(text.contains("static let filter: ScanFilter = .everything"))
        }
    }

    // MARK: Refusals

    private static let refused: [(arguments: [String], line: String, status: Int32)] = [
        (
            ["missing.json"],
            "bluejay: missing.json cannot be read: ", 1
        ),
        (
            ["notes.txt"],
            "bluejay: notes.txt: the file is not JSON: one is not a value; a string requires "
                + "quotes in line 1, column 1", 1
        ),
        ([heart(), "--output", "notes.txt"], "bluejay: notes.txt is not a folder", 1),
        (
            [heart(), "--output", "notes.txt/a"],
            "bluejay: notes.txt/a cannot be written: ", 1
        ),
        (
            [heart(), "--output", "/proc/client"],
            "bluejay: /proc/client cannot be written: ", 1
        ),
        (
            [heart(), "--output", "a/Bluejay"],
            "bluejay: a/Bluejay has the name of a package that the client needs", 1
        ),
        (
            [heart(), "--name", "heart sensor"],
            "Error: --name requires a free name of a Swift type, such as HeartSensor, of at most "
                + "32 letters and digits", 64
        ),
        ([heart(), "--output", ""], "Error: --output requires a folder", 64),
        ([heart(), "--name", "Data"], "Error: --name requires a free name", 64),
    ]

    @Test("Invalid files, folders and names are refused", arguments: refused)
    func refusals(arguments: [String], line: String, status: Int32) async throws {
        try await Self.withFolder { folder in
            try Data("one two".utf8).write(to: folder.appending(path: "notes.txt"))
            let outcome = try await Self.generate(arguments, in: folder)
            #expect(outcome.status == status)
            #expect(outcome.lines.first?.hasPrefix(line) == true, "\(outcome.lines)")
            #expect(status == 64 || outcome.lines.count == 1)
            #expect(try Self.files(in: folder).keys.sorted() == ["notes.txt"])
        }
    }

    @Test("A package that does not fit on the disk is refused, and no part of it remains")
    func fullDisk() async throws {
        try await Self.withFolder { folder in
            let empty = folder.appending(path: "empty")
            try FileManager.default.createDirectory(at: empty, withIntermediateDirectories: true)
            // A limit of one block for a file, in place of a full disk.
            let script = "trap '' XFSZ; ulimit -f 1; exec \"$0\" generate \"$1\" --output $2"
            for name in ["client", "empty"] {
                let outcome = try await outcome(of: [
                    "env", "-C", folder.path, "sh", "-c", script, programPath("bluejay"),
                    Self.heart(), name,
                ])
                #expect(outcome.status == 1)
                #expect(outcome.lines.count == 1)
                let reason = "bluejay: \(name) cannot be written: "
                #expect(outcome.lines.first?.hasPrefix(reason) == true, "\(outcome.lines)")
            }
            #expect(
                try FileManager.default.subpathsOfDirectory(atPath: folder.path) == ["empty"]
            )
        }
    }
}
