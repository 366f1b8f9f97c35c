internal import BluejaySimulator

/// A fault at one message of a test.
struct FaultCase: Equatable, Swift.Sendable {
    /// The position of the message, from 1, among all messages of the test.
    let position: Int
    let event: FaultEvent

    /// The faults of the world, each possible at every message.
    private static let worldFaults: [Fault] =
        SimulatedDisconnectReason.allCases.map { .linkLost(nil, $0) } + [
            .deviceLeft(nil), .servicesChanged(nil), .adapterPowered(0, false),
            .adapterUnplugged(0), .daemonKilled, .busRestarted,
        ]
    /// The time for which bluetoothd handles nothing: shorter than every time limit of the library.
    private static let lateness = Duration.seconds(10)
    /// The time after which a killed daemon is back.
    private static let absence = Duration.seconds(5)

    /// All cases of the messages of a test, in the order of the messages.
    ///
    /// Of messages that bluetoothd sends at once, only the last one has cases: the faults at the others
    /// occur at the same time.
    static func all(of messages: [MessageLog.Message]) -> [FaultCase] {
        messages.enumerated().filter { !$0.element.precedesAnother }.flatMap { position, message in
            events(at: message.trigger).map { FaultCase(position: position + 1, event: $0) }
        }
    }

    private static func events(at trigger: FaultTrigger) -> [FaultEvent] {
        var effects: [FaultEffect] = []
        if case .call(let member, _) = trigger {
            effects = MethodErrors.of(member).map { .callRefused($0.name, $0.text) }
            effects += [.callUnanswered]
        }
        effects += worldFaults.map { .world($0) } + [.world(.daemonFrozen(for: lateness))]
        let events = effects.map { FaultEvent(on: trigger, $0) }
        return events + [FaultEvent(on: trigger, .world(.daemonKilled), for: absence)]
    }
}

extension FaultCase: CustomStringConvertible {
    /// The case as a phrase: `message 37, call 2 of ReadValue: refused with org.bluez.Error.Failed`.
    var description: String {
        "message \(position), \(event.trigger.phrase): \(event.effect.phrase)"
            + (event.duration.map { ", for \($0)" } ?? "")
    }
}

extension FaultTrigger {
    fileprivate var phrase: String {
        switch self {
        case .call(let member, let ordinal): "call \(ordinal) of \(member)"
        case .sent(let member, let ordinal): "\(member) number \(ordinal) from bluetoothd"
        case .value(let uuid, let ordinal): "value \(ordinal) of \(uuid)"
        case .time(let time): "after \(time)"
        case .randomTime(let range): "between \(range.lowerBound) and \(range.upperBound)"
        }
    }
}

extension FaultEffect {
    fileprivate var phrase: String {
        switch self {
        case .world(let fault): "\(fault)"
        case .callRefused(let name, let text): "refused with \(name) \"\(text)\""
        case .callUnanswered: "unanswered"
        case .callDelayed(let delay): "answered after \(delay)"
        }
    }
}
