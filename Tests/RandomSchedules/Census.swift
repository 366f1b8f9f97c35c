import Foundation

/// What the process holds of the system: its descriptors by kind, and the threads that have a name.
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
        for number in threads {
            let file = "/proc/self/task/\(number)/comm"
            guard let name = try? String(contentsOfFile: file, encoding: .utf8) else { continue }
            let kind = name.trimmingCharacters(in: .whitespacesAndNewlines)
            // The others are of the run itself or of the runtime.
            let kinds = ["own", "second", "bluejay"].filter { kind.hasPrefix($0) }
            for kind in kinds { counts["thread \(kind)", default: 0] += 1 }
        }
    }

    /// What there is more of than there was.
    func more(than before: Census) -> [Violation] {
        counts.keys.sorted().compactMap { kind in
            let more = counts[kind, default: 0] - before.counts[kind, default: 0]
            return more > 0 ? Violation(kind: "\(kind) left", detail: "\(more)") : nil
        }
    }
}
