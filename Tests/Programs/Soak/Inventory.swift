import BluejayGLib
import BluejaySimulator
import BluejayTesting
import Foundation
import TestSupport

/// The resources of the process, of its programs at bluetoothd, and of its threads.
struct Inventory: CustomStringConvertible {
    private let count: ResourceCount
    private let held: [String: Int]
    private let threads: Int
    /// The varying number of threads of the runtime's pool.
    private static let slack = ProcessInfo.processInfo.activeProcessorCount + 2

    init(of world: TestWorld) async throws {
        let atBus: [String: Int] = await withCheckedContinuation { continuation in
            world.mainLoop.context.post {
                let counted: ()? = try? world.perform { blueZ in
                    blueZ.countBusResources { continuation.resume(returning: $0) }
                }
                if counted == nil { continuation.resume(returning: [:]) }
            }
        }
        count = ResourceCount(rules: atBus["match rules"] ?? -1)
        held = try world.perform { $0.heldResources }
        threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
    }

    func more(than before: Inventory) -> [String] {
        var lines = count.more(than: before.count)
        if held != before.held { lines.append("held: \(before.held) before, \(held) after") }
        if threads > before.threads + Self.slack {
            lines.append("threads: \(before.threads) before, \(threads) after")
        }
        return lines
    }

    var description: String {
        let kinds = held.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        return "\(count), \(threads) threads, \(kinds.joined(separator: ", "))"
    }
}
