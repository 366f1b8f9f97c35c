internal import Foundation

/// The resources of the process and its bus.
package struct ResourceCount: CustomStringConvertible {
    /// The number of descriptors by kind of file.
    package var descriptors: [String: Int] = [:]
    package var rules = 0
    package var memoryInKiB = 0

    /// The tolerated growth, for memory that containers keep for reuse.
    private static let slackInKiB = 768

    /// Counts everything except the rules, which the bus reports.
    package init(rules: Int) {
        self.rules = rules
        let files = FileManager.default
        let pages = files.contents(atPath: "/proc/self/statm").map { $0.split(separator: 32) } ?? []
        let resident = pages.dropFirst().first.flatMap { Int(String(decoding: $0, as: UTF8.self)) }
        memoryInKiB = (resident ?? 0) * 4
        for number in (try? files.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [] {
            // The descriptor that read the folder is closed by now.
            guard
                let target = try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
            else { continue }
            descriptors[String(target.prefix { $0 != "[" }), default: 0] += 1
        }
    }

    package func more(than before: ResourceCount) -> [String] {
        var found: [String] = []
        if descriptors != before.descriptors {
            found.append("descriptors: \(before.descriptors) before, \(descriptors) after")
        }
        if rules != before.rules {
            found.append("match rules: \(before.rules) before, \(rules) after")
        }
        let more = memoryInKiB - before.memoryInKiB
        if more > Self.slackInKiB { found.append("memory grew by \(more) KiB") }
        return found
    }

    package var description: String {
        "\(descriptors.values.reduce(0, +)) descriptors, \(rules) match rules, \(memoryInKiB) KiB"
    }
}
