import Foundation
import TestSupport
import Testing

/// Tests `DeviceFile`, `InputFile` and the programs that read device files.
@Suite("Device files of strangers", .timeLimit(.minutes(15)))
struct StrangeFileTests {
    /// The most memory of a program in KiB: a file without an end must not fill the machine.
    private static let memory = 4 << 20

    /// Each program that reads a device file, with the file as `FILE`, and the name in its messages.
    private static let programs: [(command: String, name: String, refusedStatus: Int32)] = [
        ("bluez-simulator --device FILE -- true", "bluez-simulator", 64),
        ("bluejay replay FILE -- true", "bluejay", 1),
        ("bluejay generate FILE --name Box --output OUTPUT", "bluejay", 1),
        ("bluez-simulator -- bluejay serve FILE --for 0.5", "bluejay", 1),
    ]

    @Test(
        "A device file of a stranger is accepted, or refused in one sentence with the position",
        arguments: StrangeFile.all
    )
    func file(_ file: StrangeFile) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = try await create(file, in: folder)
        for (number, program) in Self.programs.enumerated() {
            let output = folder.appending(path: "client-\(number)").path
            let command = program.command.replacing("FILE", with: "'\(path)'")
                .replacing("OUTPUT", with: "'\(output)'")
                .replacing("bluez-simulator", with: "'\(programPath("bluez-simulator"))'")
                .replacing("bluejay ", with: "'\(programPath("bluejay"))' ")
            let outcome = try await outcome(
                of: ["bash", "-c", "ulimit -v \(Self.memory); exec timeout 60 \(command)"],
                environment: ["XDG_STATE_HOME": folder.path]
            )
            if let refusal = file.refusal {
                // The simulator's message begins with its option, and ends with its usage.
                let isOption = program.name == "bluez-simulator"
                let start =
                    isOption
                    ? "Error: The value '\(path)' is invalid for '--device <file>'" : program.name
                #expect(outcome.lines.first == "\(start): \(path)\(refusal)", "\(program.command)")
                #expect(isOption || outcome.lines.count == 1, "\(program.command)")
                #expect(outcome.status == program.refusedStatus, "\(program.command)")
            } else {
                #expect(outcome.status == 0, "\(program.command): \(outcome.lines)")
            }
        }
    }

    private func create(_ file: StrangeFile, in folder: URL) async throws -> String {
        let url = folder.appending(path: file.name)
        switch file.content {
        case .path(let path): return path
        case .text(let text): try Data(text.utf8).write(to: url)
        case .bytes(let bytes): try Data(bytes).write(to: url)
        case .command(let command):
            let created = try await outcome(of: ["sh", "-c", command, url.path])
            #expect(created == Outcome([]))
        }
        return url.path
    }
}
