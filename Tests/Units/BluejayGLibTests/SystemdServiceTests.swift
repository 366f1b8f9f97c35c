import Foundation
import Glibc
import TestSupport
import Testing

@testable import BluejayGLib

@Suite("Messages to systemd")
struct SystemdServiceTests {
    @Test(
        "The messages of a call are one datagram, sent to a path or an abstract name",
        arguments: [false, true]
    )
    func datagram(isAbstract: Bool) throws {
        let manager = try ServiceManager(isAbstract: isAbstract)
        #expect(SystemdService.send([.ready, .status("2 sensors")], to: manager.name) == .sent)
        #expect(manager.received() == "READY=1\nSTATUS=2 sensors")
        #expect(SystemdService.send([.stopping], to: manager.name) == .sent)
        #expect(manager.received() == "STOPPING=1")
    }

    @Test("Without the environment variable nothing is sent")
    func notExpected() {
        #expect(SystemdService.send([.ready], to: nil) == .notExpected)
        #expect(SystemdService.send([.ready], to: "") == .notExpected)
        #expect(SystemdService.notify(.ready) == .notExpected)
        #expect(!SystemdService.startWatchdog(on: .background))
    }

    @Test(
        "An unusable socket returns the kernel's reason",
        arguments: [
            ("/nonexistent/notify", "No such file or directory"),
            ("/", "Address family not supported by protocol"),
            ("@bluejay-nobody", "Connection refused"),
            ("@", "Address family not supported by protocol"),
            ("notify", "Address family not supported by protocol"),
            ("vsock:2:1234", "Address family not supported by protocol"),
            ("/" + String(repeating: "n", count: 108), "File name too long"),
            ("@" + String(repeating: "n", count: 108), "File name too long"),
        ]
    )
    func failed(socket: String, reason: String) {
        #expect(SystemdService.send([.ready], to: socket) == .failed(reason: reason))
    }

    @Test("A status is a single line of at most 1,024 bytes, truncated between characters")
    func status() {
        #expect(
            SystemdService.State.status("a\nREADY=1\r\n\0b").text == "STATUS=a READY=1   b"
        )
        let long = SystemdService.State.status(String(repeating: "é", count: 5000)).text
        #expect(long == "STATUS=" + String(repeating: "é", count: 512))
        #expect(SystemdService.State.status("").text == "STATUS=")
    }

    @Test("A longer timeout is sent in microseconds; no duration traps")
    func extendTimeout() {
        func text(_ duration: Duration) -> String {
            SystemdService.State.extendTimeout(by: duration).text
        }
        #expect(text(.milliseconds(1500)) == "EXTEND_TIMEOUT_USEC=1500000")
        #expect(text(.zero) == "EXTEND_TIMEOUT_USEC=0")
        #expect(text(.milliseconds(-1)) == "EXTEND_TIMEOUT_USEC=0")
        #expect(text(.seconds(Int64.min)) == "EXTEND_TIMEOUT_USEC=0")
        #expect(text(.seconds(Int64.max)) == "EXTEND_TIMEOUT_USEC=315569520000000000")
    }

    @Test("A reload has the monotonic time that Type=notify-reload requires")
    func reloading() throws {
        let lines = SystemdService.State.reloading.text.split(separator: "\n")
        try #require(lines.count == 2)
        #expect(lines[0] == "RELOADING=1")
        let prefix = "MONOTONIC_USEC="
        try #require(lines[1].hasPrefix(prefix))
        #expect(UInt64(lines[1].dropFirst(prefix.count)) != nil)
    }

    @Test("The statuses of a thousand threads arrive complete")
    func threads() async throws {
        let manager = try ServiceManager(isAbstract: true)
        let name = manager.name
        let reader = Task.detached { (0..<1000).map { _ in manager.received() } }
        await withTaskGroup { group in
            for number in 0..<1000 {
                group.addTask { SystemdService.send([.status("\(number)")], to: name) }
            }
            for await delivery in group { #expect(delivery == .sent) }
        }
        let received = await reader.value
        #expect(Set(received) == Set((0..<1000).map { "STATUS=\($0)" }))
    }

    @Test(
        "The watchdog interval is half of its timeout, if it applies to this process",
        arguments: [
            ("30000000", nil, .seconds(15)),
            ("30000000", "17", .seconds(15)),
            ("30000000", "18", nil),
            ("30000000", "", nil),
            ("30000000", "x", nil),
            ("1", nil, .milliseconds(1)),
            ("0", nil, nil),
            ("-1", nil, nil),
            ("30s", nil, nil),
            ("", nil, nil),
            (nil, "17", nil),
            ("18446744073709551615", nil, nil),
            ("18446744073709551614", nil, .microseconds(Int64.max)),
            ("18446744073709551616", nil, nil),
        ] as [(String?, String?, Duration?)]
    )
    func period(limit: String?, process: String?, period: Duration?) {
        #expect(WatchdogPeriod.period(limit: limit, process: process, ownProcess: 17) == period)
    }

    @Test("The watchdog is notified at once and in each period, until another loop takes over")
    func feed() {
        let clock = ManualClock()
        var count = 0
        let feed = WatchdogFeed(on: MainContext(), every: .seconds(15)) { count += 1 }
        feed.start { _ in clock }
        #expect(count == 1)
        clock.advance(by: .milliseconds(14_999))
        #expect(count == 1)
        clock.advance(by: .milliseconds(1))
        #expect(count == 2)
        clock.advance(by: .seconds(150))
        #expect(count == 12)
        feed.stop()
        clock.advance(by: .seconds(150))
        #expect(count == 12)
    }

    @Test("A blocked loop does not notify the watchdog")
    func blocked() throws {
        let loop = TestLoop()
        var count = 0
        let feed = WatchdogFeed(on: loop.context, every: .milliseconds(1)) { count += 1 }
        feed.start { MainContextClock(on: $0) }
        try loop.wait(for: "three messages") { count >= 3 }
        let before = count
        // The loop does not run here.
        let end = ContinuousClock.now + .milliseconds(20)
        while ContinuousClock.now < end {}
        #expect(count == before)
        try loop.wait(for: "the next message") { count > before }
    }
}

/// A socket as systemd makes one.
private final class ServiceManager: Sendable {
    private let descriptor: Int32
    let name: String

    init(isAbstract: Bool) throws {
        let folder = NSTemporaryDirectory()
        name = (isAbstract ? "@" : folder) + "bluejay-notify-\(UUID().uuidString)"
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(name.utf8)
        if isAbstract { bytes[0] = 0 }
        try #require(bytes.count <= 108)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let status = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(descriptor, address, length)
            }
        }
        try #require(status == 0)
    }

    deinit {
        close(descriptor)
        if name.hasPrefix("/") { unsafe unlink(name) }
    }

    func received() -> String {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
