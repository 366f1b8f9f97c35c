import Foundation

/// The system resources of the process: its descriptors by kind, and its threads.
struct Census: Swift.Sendable {
    private var counts: [String: Int] = [:]

    init() {
        let files = FileManager.default
        let descriptors = (try? files.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        for number in descriptors {
            // The descriptor that read the folder is closed by now.
            guard
                let target = try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
            else { continue }
            let kind = target.prefix { $0 != ":" }
            let isAnonymous = kind == "anon_inode"
            counts["descriptor \(isAnonymous ? target[...] : kind)", default: 0] += 1
        }
        let threads = (try? files.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        // The thread pool of the runtime varies in size.
        counts["threads"] = max(0, threads.count - Self.pool)
    }

    private static let pool = ProcessInfo.processInfo.activeProcessorCount + 4

    /// Returns the kinds whose number has grown.
    func more(than before: Census) -> [Violation] {
        counts.keys.sorted().compactMap { kind in
            let more = counts[kind, default: 0] - before.counts[kind, default: 0]
            return more > 0 ? Violation(kind: "\(kind) left", detail: "\(more)") : nil
        }
    }
}
