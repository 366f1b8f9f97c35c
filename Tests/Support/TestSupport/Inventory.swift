internal import Foundation

/// What the process and its bus hold.
package struct Inventory: CustomStringConvertible {
    /// How many, by what they are open on.
    package var descriptors: [String: Int] = [:]
    package var rules = 0
    /// The resident memory.
    package var memoryInKiB = 0

    /// How much more memory than before counts as more: what containers keep for the next time.
    private static let slackInKiB = 768

    /// Counts all but the rules, which the bus is asked for.
    package init(rules: Int) {
        self.rules = rules
        let files = FileManager.default
        let pages = files.contents(atPath: "/proc/self/statm").map { $0.split(separator: 32) } ?? []
        let resident = pages.dropFirst().first.flatMap { Int(String(decoding: $0, as: UTF8.self)) }
        memoryInKiB = (resident ?? 0) * 4
        for number in (try? files.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [] {
            // The one that reads the folder is gone by now.
            guard
                let target = try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
            else { continue }
            descriptors[String(target.prefix { $0 != "[" }), default: 0] += 1
        }
    }

    /// What there is more of than there was.
    package func more(than before: Inventory) -> [String] {
        var found: [String] = []
        if descriptors != before.descriptors {
            found.append("descriptors were \(before.descriptors) and are \(descriptors)")
        }
        if rules != before.rules { found.append("match rules were \(before.rules), are \(rules)") }
        let more = memoryInKiB - before.memoryInKiB
        if more > Self.slackInKiB { found.append("\(more) KiB of memory were kept") }
        return found
    }

    package var description: String {
        "\(descriptors.values.reduce(0, +)) descriptors, \(rules) match rules, \(memoryInKiB) KiB"
    }
}
