/// Waits for what no event tells, such as that a peripheral has been asked: it is asked again and again.
///
/// - Throws: What the question throws, and `CancellationError` when the test's time is over.
package func wait(until isSo: () async throws -> Bool) async throws {
    while try await !isSo() { try await Task.sleep(for: .milliseconds(10)) }
}
