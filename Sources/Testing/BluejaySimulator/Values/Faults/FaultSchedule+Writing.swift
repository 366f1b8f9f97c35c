extension FaultSchedule {
    /// The schedule as a file, with one line for each fault.
    public var json: String {
        let lines = events.map { "    \($0.fields.json)" }.joined(separator: ",\n")
        let seed = seed == 0 ? "" : "\"seed\": \(seed), "
        return "{\"version\": \(Self.fileVersion), \(seed)\"faults\": [\n\(lines)\n]}\n"
    }
}

/// The fields of an object, in the order in which they are written.
private struct FaultFields {
    private var fields: [(name: String, value: String)] = []

    mutating func append(_ name: String, _ text: String?) {
        guard let text else { return }
        fields.append((name, Self.quoted(text)))
    }

    mutating func append(_ name: String, _ number: Int) {
        fields.append((name, "\(number)"))
    }

    mutating func append(_ name: String, _ duration: Duration?) {
        guard let duration else { return }
        fields.append((name, Self.seconds(duration)))
    }

    mutating func append(_ name: String, _ range: ClosedRange<Duration>) {
        let limits = [range.lowerBound, range.upperBound].map(Self.seconds)
        fields.append((name, "[\(limits.joined(separator: ", "))]"))
    }

    var json: String {
        "{" + fields.map { "\"\($0.name)\": \($0.value)" }.joined(separator: ", ") + "}"
    }

    private static func seconds(_ duration: Duration) -> String {
        let milliseconds = Int((duration / .milliseconds(1)).rounded())
        guard !milliseconds.isMultiple(of: 1000) else { return "\(milliseconds / 1000)" }
        return "\(Double(milliseconds) / 1000)"
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}

extension FaultEvent {
    fileprivate var fields: FaultFields {
        var fields = FaultFields()
        switch trigger {
        case .time(let time): fields.append("at", time)
        case .randomTime(let range): fields.append("at", range)
        case .call(let member, let ordinal): fields.append("call", member, count: ordinal)
        case .sent(let member, let ordinal): fields.append("message", member, count: ordinal)
        case .value(let uuid, let ordinal): fields.append("value", uuid, count: ordinal)
        }
        effect.append(to: &fields)
        fields.append("for", duration)
        return fields
    }
}

extension FaultFields {
    fileprivate mutating func append(_ name: String, _ text: String, count: Int) {
        append(name, text)
        if count != 1 { append("count", count) }
    }

    fileprivate mutating func appendDevice(_ name: String, _ address: String?) {
        append("fault", name)
        append("device", address)
    }

    fileprivate mutating func appendAdapter(_ name: String, _ number: Int) {
        append("fault", name)
        if number != 0 { append("adapter", number) }
    }

    fileprivate mutating func appendError(_ name: String, _ text: String) {
        append("error", name)
        if !text.isEmpty { append("text", text) }
    }
}

extension FaultEffect {
    fileprivate func append(to fields: inout FaultFields) {
        switch self {
        case .callRefused(let name, let text):
            fields.append("fault", "refuse")
            fields.appendError(name, text)
        case .callUnanswered: fields.append("fault", "no-reply")
        case .callDelayed(let delay):
            fields.append("fault", "late-reply")
            fields.append("seconds", delay)
        case .world(let fault): fault.append(to: &fields)
        }
    }
}

extension Fault {
    fileprivate func append(to fields: inout FaultFields) {
        switch self {
        case .daemonKilled: fields.append("fault", "kill-daemon")
        case .daemonTerminated: fields.append("fault", "terminate-daemon")
        case .daemonStarted: fields.append("fault", "start-daemon")
        case .daemonResumed: fields.append("fault", "resume-daemon")
        case .daemonFrozen(let duration):
            fields.append("fault", "freeze-daemon")
            fields.append("seconds", duration)
        case .busRestarted: fields.append("fault", "restart-bus")
        case .adapterUnplugged(let number): fields.appendAdapter("unplug", number)
        case .adapterPlugged(let number): fields.appendAdapter("plug", number)
        case .adapterPowered(let number, let isOn):
            fields.appendAdapter(isOn ? "power-on" : "power-off", number)
        case .adaptersBlocked(let isBlocked):
            fields.append("fault", isBlocked ? "block" : "unblock")
        case .connectsDespiteDisconnect(let isOn):
            let name = isOn ? "connects-despite-disconnect" : "disconnect-prevents-connect"
            fields.append("fault", name)
        case .callsHeld(let method):
            fields.append("fault", "hold-calls")
            fields.append("method", method)
        case .callsReleased(let method):
            fields.append("fault", "release-calls")
            fields.append("method", method)
        case .callsRefused(let method, let name, let text):
            fields.append("fault", "refuse-calls")
            fields.append("method", method)
            fields.appendError(name, text)
        case .linkLost, .deviceLeft, .deviceReturned, .deviceSilent, .servicesChanged,
            .otherProgramConnects, .otherProgramDisconnects, .otherProgramScans,
            .otherProgramAcquires:
            appendOfDevice(to: &fields)
        }
    }

    private func appendOfDevice(to fields: inout FaultFields) {
        switch self {
        case .linkLost(let address, let reason):
            fields.appendDevice("lose-link", address)
            fields.append("reason", reason.rawValue)
        case .deviceLeft(let address): fields.appendDevice("leave-range", address)
        case .deviceReturned(let address): fields.appendDevice("return-to-range", address)
        case .deviceSilent(let address): fields.appendDevice("stop-responding", address)
        case .servicesChanged(let address): fields.appendDevice("change-services", address)
        case .otherProgramConnects(let address): fields.appendDevice("other-connects", address)
        case .otherProgramDisconnects(let address):
            fields.appendDevice("other-disconnects", address)
        case .otherProgramScans(let isOn):
            fields.append("fault", isOn ? "other-scans" : "other-stops-scanning")
        case .otherProgramAcquires(let uuid, let isOn):
            fields.append("fault", isOn ? "other-acquires" : "other-releases")
            fields.append("characteristic", uuid)
        default: break
        }
    }
}
