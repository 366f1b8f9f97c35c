import ArgumentParser
import BluejayCommandLine
import BluejayDoctor
import Foundation

/// `bluejay doctor`: diagnoses Bluetooth on this machine.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Look for what is in the way of Bluetooth on this machine.",
        usage: "bluejay doctor [--json]",
        discussion: """
            It looks at the system bus, bluetoothd, the adapters, rfkill, the kernel and the permissions, \
            changes nothing, and ends after some seconds. What is in the way has a line that says what to \
            do. The exit status is 0 when nothing is in the way, and 1 otherwise.

            EXAMPLE: bluejay doctor --json
            """
    )

    @Flag(help: "Write one JSON object a line.")
    var json = false

    func run() async throws {
        let findings = Diagnosis.findings(await EvidenceCollector().collect())
        for line in try lines(findings) { print(line) }
        guard TextReport.troubles(findings) == 0 else { throw ExitCode.failure }
    }

    private func lines(_ findings: [Finding]) throws -> [String] {
        if json {
            let encoder = JSONLines()
            return try findings.map { try encoder.line($0) }
        }
        let terminal = Terminal()
        return TextReport.lines(findings) { text, verdict in
            switch verdict {
            case .good: terminal.styled(text, .green)
            case .note: terminal.styled(text, .yellow)
            case .trouble: terminal.styled(text, .red)
            }
        }.flatMap { $0.wrapped(to: terminal.isInteractive ? terminal.size.columns - 1 : nil) }
    }
}
