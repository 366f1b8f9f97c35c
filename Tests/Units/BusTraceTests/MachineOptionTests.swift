import Foundation
import TestSupport
import Testing

@Suite("The options of the machine with the real BlueZ")
struct MachineOptionTests {
    /// Runs `Tests/RealBlueZ/run`, which refuses its options before it installs or builds anything.
    private func refusal(_ arguments: [String]) throws -> (status: Int32, text: String) {
        let process = Process()
        process.executableURL = repositoryFile("Tests/RealBlueZ/run")
        process.arguments = arguments
        let errors = Pipe()
        process.standardError = errors
        process.standardOutput = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }

    @Test(
        "The machine refuses a version of BlueZ that no release of Debian has, and names the others",
        arguments: ["4.0", "5.65", "sid", "5.82-1.1"]
    )
    func unknownVersion(version: String) throws {
        let refusal = try refusal(["--bluez", version, "--", "true"])
        #expect(refusal.status == 64)
        #expect(
            refusal.text
                == "machine: --bluez \(version): the accepted versions are 5.66, 5.82 and 5.87\n"
        )
    }
}
