import Bluejay
import Glibc
import ServiceLifecycle

/// Sends the state of a `Type=notify` service to systemd; without systemd it sends nothing.
struct ServiceManager: Swift.Sendable {
    private let socketName = getenv("NOTIFY_SOCKET").map { String(cString: $0) }

    /// Half of `WatchdogSec=`, the period of the messages; nil without a watchdog.
    let period: Duration? = getenv("WATCHDOG_USEC").flatMap { Int(String(cString: $0)) }
        .map { .microseconds($0 / 2) }

    /// Sends one datagram, such as `READY=1`; any thread may call it.
    func notify(_ state: String) {
        guard let socketName else { return }
        let file = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        guard file >= 0 else { return }
        defer { close(file) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // @ stands for the 0 at the start of an abstract name.
        var bytes = Array(socketName.utf8.prefix(MemoryLayout.size(ofValue: address.sun_path) - 1))
        if bytes.first == UInt8(ascii: "@") { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = sendto(file, state, state.utf8.count, 0, address, length)
            }
        }
    }
}

/// Sends a message from the loop in each period; without one, systemd restarts the service.
struct Watchdog: Service {
    let loop: MainLoop
    let manager: ServiceManager

    func run() async throws {
        guard let period = manager.period else { return try await gracefulShutdown() }
        try? await cancelWhenGracefulShutdown {
            while true {
                loop.post { manager.notify("WATCHDOG=1") }
                try await Task.sleep(for: period)  // of WATCHDOG_USEC
            }
        }
    }
}
