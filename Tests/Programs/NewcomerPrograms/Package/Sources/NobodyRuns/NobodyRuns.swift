import Bluejay
import BluejayAsync

/// Calls that wait forever, with a warning, because the main loop does not run.
@main
struct NobodyRuns {
    static func main() async throws {
        let bluejay = Bluejay()
        await bluejay.start()
        try await bluejay.disconnect()
    }
}
