import Bluejay
import FoundationEssentials

extension Central {
    /// The number of pending writes without response, as in a program that sends a file.
    private static let window = 32

    func sendMany() {
        // The first writes belong to the setup, because they look up their objects.
        send(2 * Self.window) { [self] in
            meter.waitAndBegin(0)
            send(job.count) { [self] in meter.finish(job.count) }
        }
    }

    private func send(_ count: Int, then: @escaping () -> Void) {
        var sent = 0
        var answered = 0
        func sendNext() {
            sent += 1
            bluejay.write(
                to: World.commands,
                value: payload,
                type: .withoutResponse
            ) { result in
                guard case .success = result else { fail("write: \(result)") }
                answered += 1
                if answered == count { return then() }
                if sent < count { sendNext() }
            }
        }
        for _ in 0..<min(Self.window, count) { sendNext() }
    }
}
