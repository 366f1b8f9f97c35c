import BluejayGLib
import BluejaySimulator
import TestSupport
import Testing

@Suite("A private bus that cannot be started")
struct MissingDaemonTests {
    private let loop = TestLoop()

    private func reason(_ program: String) throws -> String {
        var reason: String?
        let bus = try PrivateBus(on: loop.context, program: program) { result in
            guard case .failure(let failure) = result else { return }
            reason = failure.description
        }
        try loop.wait(for: "the failure") { reason != nil }
        bus.stop()
        return try #require(reason)
    }

    @Test("Without dbus-daemon the error says what to install")
    func missing() throws {
        let found = try reason("no-such-daemon")
        #expect(found.hasPrefix("no-such-daemon is not installed, or not in PATH"))
        #expect(found.hasSuffix("sudo apt-get install dbus"))
    }

    @Test("A daemon that ends at once is told with its status")
    func fails() throws {
        let found = try reason("false")
        #expect(found.hasPrefix("false ended with status 1"))
    }
}
