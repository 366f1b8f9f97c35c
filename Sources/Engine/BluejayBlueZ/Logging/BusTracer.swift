internal import BluejayDBus
internal import BluejayGLib

/// Logs each message of one bus connection; a reply with its call and the elapsed time.
final class BusTracer {
    private struct Call {
        let name: String
        let path: String
        let startTime: Duration
        let isSecret: Bool
    }

    /// Identifies a call by its caller (nil for this program) and its serial.
    private struct CallKey: Hashable {
        let caller: String?
        let serial: UInt32
    }

    private let log: Log
    private let clock: any EventClock
    private let formatter: BusValueFormatter
    private var pending: [CallKey: Call] = [:]
    /// The interface whose arguments are passkeys and PINs, which are never logged.
    private static let agent = "org.bluez.Agent1"
    /// The maximum number of pending calls; beyond it all are discarded, because some never receive a reply.
    private static let maximumPendingCallCount = 4096

    convenience init(_ log: Log, clock: any EventClock) {
        self.init(log, clock: clock, showsValues: LogSettings.fromEnvironment.showsValues)
    }

    init(_ log: Log, clock: any EventClock, showsValues: Bool) {
        self.log = log
        self.clock = clock
        formatter = BusValueFormatter(showsValues: showsValues)
    }

    func trace(_ message: BusMessage, isSent: Bool) {
        switch message.kind {
        case .methodCall: traceCall(message, isSent)
        case .methodReturn, .error: traceReply(message, isSent)
        case .signal: traceSignal(message, isSent)
        }
    }

    private func traceCall(_ message: BusMessage, _ isSent: Bool) {
        let call = Call(
            name: name(message),
            path: message.path?.text ?? "",
            startTime: clock.now,
            isSecret: message.interface == Self.agent
        )
        if message.expectsReply {
            if pending.count >= Self.maximumPendingCallCount { pending = [:] }
            let caller = isSent ? nil : message.sender
            pending[CallKey(caller: caller, serial: message.serial)] = call
        }
        let details: LogDetails = [
            "member": call.name, "path": call.path,
            "arguments": arguments(message, isSecret: call.isSecret),
            "serial": "\(message.serial)", "sender": isSent ? "" : message.sender ?? "",
        ]
        if isSent { log.trace("→ call", details) } else { log.trace("← call", details) }
    }

    private func traceReply(_ message: BusMessage, _ isSent: Bool) {
        let key = CallKey(
            caller: isSent ? message.destination : nil,
            serial: message.replySerial
        )
        let call = pending.removeValue(forKey: key)
        let isError = message.kind == .error
        let details: LogDetails = [
            "member": call?.name ?? "", "path": call?.path ?? "",
            "arguments": isError ? "" : arguments(message, isSecret: call?.isSecret ?? false),
            "serial": "\(message.replySerial)",
            "took": call.map { milliseconds(clock.now - $0.startTime) } ?? "",
            "error": isError ? message.error.description : "",
        ]
        switch (isError, isSent) {
        case (false, false): log.trace("← reply", details)
        case (false, true): log.trace("→ reply", details)
        case (true, false): log.trace("← error", details)
        case (true, true): log.trace("→ error", details)
        }
    }

    private func traceSignal(_ message: BusMessage, _ isSent: Bool) {
        let details: LogDetails = [
            "member": name(message), "path": message.path?.text ?? "",
            "arguments": arguments(message, isSecret: false),
        ]
        if isSent { log.trace("→ signal", details) } else { log.trace("← signal", details) }
    }

    private func arguments(_ message: BusMessage, isSecret: Bool) -> String {
        guard !isSecret else { return "(hidden)" }
        return (try? message.arguments()).map(formatter.description) ?? "(unreadable)"
    }

    // The name without the common prefix of the interface.
    private func name(_ message: BusMessage) -> String {
        let interface = message.interface?.split(separator: ".").last.map { "\($0)." } ?? ""
        return interface + (message.member ?? "")
    }

    private func milliseconds(_ duration: Duration) -> String {
        let tenths = Int(duration / .microseconds(100))
        return "\(tenths / 10).\(tenths % 10)ms"
    }
}
