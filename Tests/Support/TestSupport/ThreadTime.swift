internal import Foundation

/// Measures how long the present thread computes in `work`; time in which it waits does not count.
///
/// The resolution is 10 ms (proc(5), `utime` and `stime`).
package func threadTime(_ work: () -> Void) throws -> Duration {
    let start = try threadTicks()
    work()
    return .milliseconds(10) * (try threadTicks() - start)
}

private func threadTicks() throws -> Int {
    let stat = try String(contentsOfFile: "/proc/thread-self/stat", encoding: .utf8)
    // The fields after the name, which may contain spaces: the state is the first.
    let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
    return fields.count > 12 ? (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0) : 0
}
