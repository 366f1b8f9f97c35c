internal import BusTrace
internal import Foundation
internal import Glibc
internal import TestSupport
internal import Testing

/// The D-Bus trace of one scenario: stored if `BLUEJAY_TRACES` names a folder, and on the simulated BlueZ
/// compared with the recordings of the real one.
package struct ScenarioRecording {
    private let name: String
    private let context: ScenarioContext
    private let recorder: BusRecorder

    package init(_ name: String, of context: ScenarioContext) async throws {
        self.name = TraceFile.fileName(name)
        self.context = context
        recorder = try await BusRecorder.start(busAddress: context.testbed.busAddress)
    }

    /// Ends the recording; a difference from the real BlueZ is an issue of the test.
    package func finish() async throws {
        let messages = await recorder.stop()
        // The centrals are in this process, and so are the testbed's own connections.
        let own = await context.ownConnections()
        let mine = messages.filter { $0.senderProcess == Int(getpid()) }.map(\.sender)
        let clients = Set(mine).subtracting(own)
        let trace = TraceNormalizer(clients: .connections(clients)).trace(of: messages)
        if let folder = ProcessInfo.processInfo.environment["BLUEJAY_TRACES"] {
            let kind = isRealBlueZ ? "the real BlueZ" : "the simulated BlueZ"
            try TraceFile.add(trace, scenario: name, kind: kind, to: folder)
        }
        if !isRealBlueZ { try compare(trace) }
    }

    /// Stores the recording of a failed scenario apart from the others.
    package func cancel() async throws {
        guard let folder = ProcessInfo.processInfo.environment["BLUEJAY_TRACES"] else { return }
        let trace = TraceNormalizer().trace(of: await recorder.stop())
        let kind = "a scenario that failed"
        try TraceFile.add(trace, scenario: name, kind: kind, to: folder + "/failed")
    }

    private func compare(_ trace: Trace) throws {
        let file = repositoryFile("Tests/RealBlueZ/Recordings/\(blueZVersion)/\(name).trace").path
        guard FileManager.default.fileExists(atPath: file) else {
            Issue.record(
                "\(name) has no recording of the real BlueZ: see Documentation/RealBlueZ.md"
            )
            return
        }
        let real = try TraceFile(contentsOf: file).recordings.map(\.trace)
        let quirks = try Quirks(contentsOf: repositoryFile("Tests/RealBlueZ/Quirks").path)
        let result = TraceComparison(scenario: name, real: real, quirks: quirks).compare(trace)
        for difference in result.differences {
            Issue.record("\(name): differs from the real BlueZ: \(difference)")
        }
    }
}
