/// The calls of a schedule with their ends, and the rules that they break.
// Used on the loop of the world only, which justifies `@unchecked`.
final class Ledger: @unchecked Swift.Sendable {
    struct Violation: Swift.Sendable {
        /// The rule, without details: equal in all schedules that break it in the same way.
        let kind: String
        let detail: String
    }

    struct PendingCall {
        let kind: String
        let text: String
        /// Whether it ends only with its user.
        let isEndless: Bool
    }

    private(set) var violations: [Violation] = []
    private(set) var story: [String] = []
    private var pending: [Int: PendingCall] = [:]
    private var lastNumber = 0
    private var onQuiet: (() -> Void)?
    private var quietIncludesEndless = false
    /// The calls to make in the next completion of a user.
    private var insideCalls: [Int: [() -> Void]] = [:]
    var now: () -> Duration = { .zero }

    func record(_ line: @autoclosure () -> String) {
        story.append("\(now()) \(line())")
    }

    func violate(_ kind: String, _ detail: String) {
        record("VIOLATION: \(kind): \(detail)")
        violations.append(Violation(kind: kind, detail: detail))
    }

    // MARK: Calls

    /// Records a call, which must end exactly once.
    func begin(
        _ kind: String,
        by user: Int,
        _ text: String = "",
        isEndless: Bool = false
    ) -> OpenCall {
        lastNumber += 1
        pending[lastNumber] = PendingCall(
            kind: kind,
            text: "user \(user), call \(lastNumber): \(kind) \(text)",
            isEndless: isEndless
        )
        record("user \(user), call \(lastNumber): \(kind) \(text)")
        return OpenCall(lastNumber, kind, by: user, in: self)
    }

    fileprivate func end(_ call: OpenCall, _ result: String) {
        record("call \(call.number), \(call.kind), ends: \(result)")
        guard pending.removeValue(forKey: call.number) != nil else {
            return violate("\(call.kind) completes twice", "call \(call.number): \(result)")
        }
        for work in insideCalls.removeValue(forKey: call.user) ?? [] { work() }
        if isQuiet { onQuiet?() }
    }

    func callInside(nextCompletionOf user: Int, _ work: @escaping () -> Void) {
        insideCalls[user, default: []].append(work)
    }

    func forgetInsideCalls() { insideCalls = [:] }

    /// The pending calls, the oldest first.
    func pendingCalls(endless: Bool) -> [PendingCall] {
        pending.sorted { $0.key < $1.key }.map(\.value).filter { endless || !$0.isEndless }
    }

    private var isQuiet: Bool { pendingCalls(endless: quietIncludesEndless).isEmpty }

    /// Calls back when no call is pending.
    func whenQuiet(endless: Bool, _ work: (() -> Void)?) {
        quietIncludesEndless = endless
        onQuiet = work
        if isQuiet { work?() }
    }
}

/// A call that must end exactly once.
final class OpenCall: @unchecked Swift.Sendable {
    let number: Int
    let kind: String
    let user: Int
    private let ledger: Ledger

    fileprivate init(_ number: Int, _ kind: String, by user: Int, in ledger: Ledger) {
        self.number = number
        self.kind = kind
        self.user = user
        self.ledger = ledger
    }

    func end(_ result: String = "ok") { ledger.end(self, result) }

    func end<Value>(_ result: Result<Value, any Error>) {
        switch result {
        case .success: end()
        case .failure(let error): end("\(error)")
        }
    }
}

/// The reports of one source, which arrive in order and not after its end.
// Used on the loop of the world only, which justifies `@unchecked`.
final class ReportSequence: @unchecked Swift.Sendable {
    private let kind: String
    private let text: String
    private let ledger: Ledger
    private var last: [String: UInt32] = [:]
    private var endReason: String?

    init(_ kind: String, _ text: String, in ledger: Ledger) {
        self.kind = kind
        self.text = text
        self.ledger = ledger
    }

    var isEnded: Bool { endReason != nil }

    /// Records a report without a number.
    func reported(_ what: @autoclosure () -> String) {
        ledger.record("\(text): \(what())")
        guard let endReason else { return }
        ledger.violate("\(kind) reports after \(endReason)", "\(text): \(what())")
    }

    /// Records a numbered report, which must follow the last one of its sender.
    func received(_ number: UInt32, from sender: String = "") {
        reported("\(number) \(sender)")
        if let last = last[sender], number <= last {
            let rule = number == last ? "arrives twice" : "arrives out of order"
            ledger.violate("\(kind): a value \(rule)", "\(text): \(number) after \(last)")
        }
        last[sender] = number
    }

    func end(_ reason: String) { if endReason == nil { endReason = reason } }

    func reopen() { endReason = nil }
}
