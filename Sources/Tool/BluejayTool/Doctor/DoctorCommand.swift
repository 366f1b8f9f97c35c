import ArgumentParser
import BluejayCommandLine
import BluejayDoctor
import BluejayStreams
import Foundation

/// `bluejay doctor`: diagnoses Bluetooth on this machine.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Find Bluetooth problems on this machine.",
        usage: "bluejay doctor [--json]",
        discussion: """
            The doctor checks the system bus, bluetoothd, the adapters, rfkill, the kernel and the \
            permissions. It changes nothing and ends after some seconds. Each problem comes with its \
            remedy. The exit status is 0 if no problem was found, and 1 otherwise.

            EXAMPLE: bluejay doctor --json
            """
    )

    @Flag(help: "Write JSON, one object per line.")
    var json = false

    func run() async throws {
        let findings = Diagnosis.findings(await EvidenceCollector().collect())
        do {
            try StandardStreams.writeOutput(lines(findings).map { $0 + "\n" }.joined())
        } catch let failure as ToolFailure {
            Console.writeErrorLine("bluejay: \(failure.message)")
            throw ExitCode(failure.status.rawValue)
        }
        guard TextReport.problemCount(findings) == 0 else { throw ExitCode.failure }
    }

    private func lines(_ findings: [Finding]) throws -> [String] {
        if json {
            let encoder = JSONLines()
            return try findings.map {
                try encoder.line(OutputRecord(time: Date(), device: nil, content: $0))
            }
        }
        let terminal = Terminal()
        return TextReport.lines(findings) { text, verdict in
            switch verdict {
            case .good: terminal.styled(text, .green)
            case .note: terminal.styled(text, .dim)
            case .warning: terminal.styled(text, .yellow)
            case .trouble: terminal.styled(text, .red)
            }
        }.flatMap { $0.wrapped(to: terminal.isInteractive ? terminal.size.columns - 1 : nil) }
    }
}

extension Finding: RecordContent {
    static let type = RecordType.finding
}
