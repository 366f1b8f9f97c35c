import BluejayGLib
import Foundation
import TestSupport

/// A process of this program with its own world, which plays one seed after the other.
///
/// A crash or a blocked loop ends only this process, and its seed is known.
// Its state is used on the context of the process only, which justifies `@unchecked`.
final class LaneProcess: @unchecked Swift.Sendable {
    struct Outcome: Swift.Sendable {
        var violations: [Ledger.Violation] = []
        var story: [String] = []
    }

    private let process = LineProcess(named: "lane")
    private var outcome = Outcome()
    private var waiter: CheckedContinuation<Outcome, Never>?
    private var isEnded = false
    private var isBlocked = false

    /// The folder of the buses, which a killed process leaves.
    private static let folder = FileManager.default.temporaryDirectory
        .appending(path: "product-schedules-\(ProcessInfo.processInfo.processIdentifier)")

    static func makeFolder() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    static func removeFolder() { try? FileManager.default.removeItem(at: folder) }

    /// The time of the machine in which a schedule must end.
    private static let limit = Duration.seconds(60)

    init(_ arguments: [String]) async throws {
        let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().path
        // Equal seeds make equal schedules, also where a schedule depends on the order of a set.
        var environment = ["SWIFT_DETERMINISTIC_HASHING": "1", "TMPDIR": Self.folder.path]
        if !arguments.contains("--story") { environment["SWIFT_BACKTRACE"] = "enable=no" }
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Void, any Error>) in
            process.context.post { [self, environment] in
                let command = [program, "--lane"] + arguments
                continuation.resume(
                    with: Result {
                        try process.start(command, environment: environment) { [weak self] in
                            self?.received($0)
                        } onEnd: { [weak self] in
                            self?.ended($0)
                        }
                    }
                )
            }
        }
    }

    /// Returns the outcome of a seed; after a violation the process has ended.
    func play(_ seed: UInt64) async -> Outcome {
        let watch = Task { [self] in
            // The time of the machine, because the loop of the lane may be blocked.
            try await Task.sleep(for: Self.limit)
            process.context.post { [self] in
                isBlocked = true
                process.send(SIGABRT)
            }
        }
        defer { watch.cancel() }
        return await withCheckedContinuation { continuation in
            process.context.post { [self] in
                waiter = continuation
                if isEnded { finish() } else { process.write("\(seed)") }
            }
        }
    }

    func end() async { await process.end() }

    private func received(_ line: String) {
        let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        switch parts[0] {
        case "violation" where parts.count > 2:
            let detail = parts.dropFirst(2).joined(separator: " ")
            outcome.violations.append(Ledger.Violation(kind: parts[1], detail: detail))
        case "story": outcome.story.append(parts.dropFirst().joined(separator: " "))
        case "passed", "failed": finish()
        default: break
        }
    }

    private func ended(_ status: Int32) {
        isEnded = true
        guard waiter != nil else { return }
        let kind = isBlocked ? "the loop is blocked" : "the program ends"
        outcome.violations.append(Ledger.Violation(kind: kind, detail: "status \(status)"))
        finish()
    }

    private func finish() {
        let (waiter, outcome) = (waiter, outcome)
        self.waiter = nil
        self.outcome = Outcome()
        waiter?.resume(returning: outcome)
    }
}
