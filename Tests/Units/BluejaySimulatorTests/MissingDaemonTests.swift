import BluejayDBus
import BluejayGLib
import BluejaySimulator
import Foundation
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

    @Test("Without dbus-daemon the error names the package to install")
    func missing() throws {
        let found = try reason("no-such-daemon")
        #expect(found.hasPrefix("no-such-daemon is not installed, or not in PATH"))
        #expect(found.hasSuffix("sudo apt-get install dbus"))
    }

    /// Names of folders with a special meaning in XML, in an address or in a URL, and long ones.
    static let names = [
        "with space", "a&b<c>\"'", "a,b;c=d:e", "\u{FC}ml\u{E4}ut", "50%20", "a#b?c", "a\\b*",
        "two\nlines", String(repeating: "x", count: 80), String(repeating: "y", count: 240),
    ]

    @Test("A bus works in a folder with any name and length", arguments: names)
    func folder(_ name: String) throws {
        let parent = FileManager.default.temporaryDirectory
            .appending(path: "bus-\(UUID().uuidString.prefix(8))")
        let folder = parent.appending(path: name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: parent) }
        var outcome: Result<BusAddress, PrivateBus.Failure>?
        let bus = try PrivateBus(on: loop.context, in: folder.path) { outcome = $0 }
        try loop.wait(for: "the bus") { outcome != nil }
        let connection = try BusConnection(try #require(outcome).get(), on: loop.context)
        var reply: BusError??
        connection.requestName("org.bluez") { reply = .some($0) }
        try loop.wait(for: "the name") { reply != nil }
        #expect(reply == .some(nil))
        connection.close()
        bus.stop()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test("The error for a folder that cannot be created names the folder and the remedy")
    func noFolder() throws {
        let failure = #expect(throws: PrivateBus.Failure.self) {
            try PrivateBus(on: loop.context, in: "/proc/no such folder") { _ in }
        }
        let text = try #require(failure).description
        #expect(text.contains("/proc/no such folder/bluejay-bus-"))
        #expect(text.hasSuffix("set TMPDIR to a writable folder"))
    }

    @Test("A daemon that exits at once is reported with its status")
    func fails() throws {
        let found = try reason("false")
        #expect(found.hasPrefix("false exited with status 1"))
    }
}
