import Foundation
import TestSupport
import Testing

@Suite("Three nodes in one room", .timeLimit(.minutes(15)))
struct MeshRoomTests {
    private let folder = FileManager.default.temporaryDirectory.appending(
        path: UUID().uuidString,
        directoryHint: .isDirectory
    )

    @Test("Each node receives a message of both others, and the file arrives byte for byte")
    func complete() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let simulator = try await run(adapters: 3)
        // The simulator may end with the first node; otherwise wait until all nodes have received everything.
        try await wait {
            simulator.status != nil
                || simulator.lines.filter { $0.contains(#""event":"transferred""#) }.count == 2
                    && senders(in: simulator.lines) == ["Ben", "Cleo"]
                    && senders(in: log("Ben")) == ["Ann", "Cleo"]
                    && senders(in: log("Cleo")) == ["Ann", "Ben"]
        }
        #expect(await simulator.end(SIGTERM) == 0)
        let sent = try Data(contentsOf: folder.appending(path: "room.bin"))
        #expect(sent.count == 100_000)
        for name in ["Ben", "Cleo"] {
            #expect(try Data(contentsOf: folder.appending(path: "\(name)/room.bin")) == sent)
        }
    }

    @Test("A missing node gives an error that names the missing message and file")
    func missing() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let simulator = try await run(adapters: 2)
        try await wait {
            simulator.status != nil
                || simulator.lines.contains { $0.contains(#""event":"transferred""#) }
                    && senders(in: log("Ben")) == ["Ann"]
        }
        #expect(await simulator.end(SIGTERM) == 1)
        #expect(simulator.lines.contains("mesh-node: 1 of 2 nodes sent a message: Ben"))
        #expect(simulator.lines.contains("Cleo: the file did not arrive"))
    }

    private func run(adapters: Int) async throws -> RunningProgram {
        let programs = URL(filePath: programPath("mesh-node")).deletingLastPathComponent().path
        return try await RunningProgram(
            "bluez-simulator",
            [
                "--kind", "5.86", "--adapters", "\(adapters)", "--time-scale", "0.1", "--",
                repositoryFile("Demos/run-mesh").path, programs, folder.path, "--json",
            ]
        )
    }

    private func log(_ name: String) -> [String] {
        let data = try? Data(contentsOf: folder.appending(path: "\(name).log"))
        return String(decoding: data ?? Data(), as: UTF8.self).split(separator: "\n")
            .map(String.init)
    }

    private func senders(in lines: [String]) -> [String] {
        let names = lines.filter { $0.contains(#""event":"received""#) }
            .compactMap { $0.firstMatch(of: /"text":"hello from ([A-Za-z]+)"/) }
            .map { String($0.1) }
        return Set(names).sorted()
    }
}
