/// Waits for what no event tells, such as that a peripheral has been asked: it is asked again and again.
///
/// It asks where it is called, so that a test of the main actor can ask its own.
///
/// - Throws: What the question throws, and where it was asked when the test's time is over.
package nonisolated(nonsending) func wait(
    file: StaticString = #fileID,
    line: UInt = #line,
    until isSo: nonisolated(nonsending) () async throws -> Bool
) async throws {
    while try await !isSo() {
        do {
            try await Task.sleep(for: .milliseconds(10))
        } catch {
            throw WaitedInVain(description: "\(file):\(line) waited until the time was over")
        }
    }
}

/// What was waited for had not come when the test was cancelled.
private struct WaitedInVain: Error, CustomStringConvertible {
    let description: String
}
