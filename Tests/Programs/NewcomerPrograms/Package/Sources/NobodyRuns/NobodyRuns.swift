import Bluejay
import BluejayAsync

/// What waits for ever, and is told so: the main loop is not run by anybody.
@main
struct NobodyRuns {
    static func main() async throws {
        let bluejay = Bluejay()
        await bluejay.start()
        try await bluejay.disconnect()
    }
}
