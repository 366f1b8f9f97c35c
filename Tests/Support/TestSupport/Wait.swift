/// Polls a condition that no event reports, such as a request at a peripheral.
///
/// The condition runs in the isolation of the caller, so that a test on the main actor can use its own state.
///
/// - Throws: The error of the condition, or its location if the test runs out of time.
package nonisolated(nonsending) func wait(
    file: StaticString = #fileID,
    line: UInt = #line,
    until isSo: nonisolated(nonsending) () async throws -> Bool
) async throws {
    while try await !isSo() {
        do {
            try await Task.sleep(for: .milliseconds(10))
        } catch {
            throw WaitCancelled(description: "\(file):\(line) timed out")
        }
    }
}

/// The condition was not true when the test was cancelled.
private struct WaitCancelled: Error, CustomStringConvertible {
    let description: String
}
