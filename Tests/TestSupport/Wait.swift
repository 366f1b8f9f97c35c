/// Waits for what no event tells, such as that a peripheral has been asked: it is asked again and again.
///
/// It asks where it is called, so that a test of the main actor can ask its own.
///
/// - Throws: What the question throws, and `CancellationError` when the test's time is over.
package nonisolated(nonsending) func wait(
    until isSo: nonisolated(nonsending) () async throws -> Bool
) async throws {
    while try await !isSo() { try await Task.sleep(for: .milliseconds(10)) }
}
