import Foundation

/// What the process holds of the system: its descriptors by kind, and threads.
struct Census: Swift.Sendable {
    private var counts: [String: Int] = [:]

    init() {
        let files = FileManager.default
        let descriptors = (try? files.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        for number in descriptors {
            // The one that reads the folder is gone by now.
            guard
                let target = try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
            else { continue }
            let kind = target.prefix { $0 != ":" }
            let isAnonymous = kind == "anon_inode"
            counts["descriptor \(isAnonymous ? target[...] : kind)", default: 0] += 1
        }
        let threads = (try? files.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        // The runtime has a pool, whose size is its own affair.
        counts["threads"] = max(0, threads.count - Self.pool)
    }

    private static let pool = ProcessInfo.processInfo.activeProcessorCount + 4

    /// What there is more of than there was.
    func more(than before: Census) -> [Violation] {
        counts.keys.sorted().compactMap { kind in
            let more = counts[kind, default: 0] - before.counts[kind, default: 0]
            return more > 0 ? Violation(kind: "\(kind) left", detail: "\(more)") : nil
        }
    }
}
