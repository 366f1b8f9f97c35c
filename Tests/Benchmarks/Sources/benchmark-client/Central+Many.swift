import Bluejay
import FoundationEssentials

extension Central {
    /// Writes without response that wait at a time, as a program has them that sends a file.
    private static let window = 32

    /// Many writes without response in a row.
    func sendMany() {
        // Behind the set-up: the first ones find their way.
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
