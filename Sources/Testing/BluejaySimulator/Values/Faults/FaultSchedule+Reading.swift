internal import BluejayDeviceFile
internal import FoundationEssentials

extension FaultSchedule {
    /// The version of the format that is written and accepted.
    static let fileVersion = 1

    /// Decodes a file of faults.
    ///
    /// - Parameter text: A document in JSON (RFC 8259).
    /// - Throws: ``FaultScheduleError`` with the position and the line.
    public init(json text: String) throws(FaultScheduleError) {
        do throws(DeviceFileError) {
            try self.init(JSONText.read(Data(text.utf8)))
        } catch {
            throw FaultScheduleError(description: error.description)
        }
    }

    private init(_ node: FileNode) throws(DeviceFileError) {
        let fields = try ObjectFields(node, at: .file, known: ["version", "seed", "faults"])
        let version = try fields.whole("version")
        guard version == Self.fileVersion else {
            throw fields.failure(
                "version",
                "is \(version); this program reads version \(Self.fileVersion)"
            )
        }
        let seed = fields.has("seed") ? try fields.whole("seed") : 0
        guard let seed = UInt32(exactly: seed) else {
            throw fields.failure("seed", "must be 0 to \(UInt32.max)")
        }
        self.init(
            try fields.optionalList("faults") { node, place throws(DeviceFileError) in
                try FaultEvent(node, at: place)
            },
            seed: seed
        )
    }
}

extension FaultEvent {
    private static let triggerNames = ["at", "call", "message", "value"]

    fileprivate init(_ node: FileNode, at place: FilePlace) throws(DeviceFileError) {
        let fields = try ObjectFields(
            node,
            at: place,
            known: Self.triggerNames + [
                "count", "fault", "for", "seconds", "error", "text", "device", "reason",
                "adapter", "method", "characteristic",
            ]
        )
        let trigger = try Self.trigger(fields)
        let effect = try FaultEffect(fields)
        if case .world = effect {
        } else if case .call = trigger {
        } else {
            throw fields.failure("fault", "affects a call; use it with \"call\"")
        }
        self.init(on: trigger, effect, for: try fields.optionalDuration("for"))
    }

    private static func trigger(_ fields: ObjectFields) throws(DeviceFileError) -> FaultTrigger {
        let names = triggerNames.filter(fields.has)
        guard names.count == 1 else {
            throw fields.failure(
                names.first ?? "fault",
                "requires one of \(triggerNames.joined(separator: ", "))"
            )
        }
        guard names != ["at"] else {
            guard !fields.has("count") else {
                throw fields.failure("count", "has no meaning with \"at\"")
            }
            return try time(fields)
        }
        let count = fields.has("count") ? try fields.whole("count") : 1
        guard count > 0 else { throw fields.failure("count", "must be at least 1") }
        let text = try fields.text(names[0])
        switch names[0] {
        case "call": return .call(text, ordinal: count)
        case "message": return .sent(text, ordinal: count)
        default: return .value(try fields.characteristic("value"), ordinal: count)
        }
    }

    private static func time(_ fields: ObjectFields) throws(DeviceFileError) -> FaultTrigger {
        guard let nodes = fields.node("at")?.list else {
            return .time(try fields.duration("at"))
        }
        let limits = nodes.compactMap(\.number).compactMap(Duration.init(faultSeconds:))
        guard limits.count == 2, nodes.count == 2, limits[0] <= limits[1] else {
            throw fields.failure("at", "must be seconds, or two of them in ascending order")
        }
        return .randomTime(limits[0]...limits[1])
    }
}

extension FaultEffect {
    fileprivate init(_ fields: ObjectFields) throws(DeviceFileError) {
        switch try fields.text("fault") {
        case "refuse":
            self = .callRefused(
                try fields.errorName(),
                try fields.optionalText("text") ?? ""
            )
        case "no-reply": self = .callUnanswered
        case "late-reply": self = .callDelayed(try fields.duration("seconds"))
        case let name: self = .world(try Fault(name, fields))
        }
    }
}

extension Fault {
    /// The names in files, for the error about another one.
    private static let names = [
        "refuse", "no-reply", "late-reply", "lose-link", "leave-range", "return-to-range",
        "stop-responding", "change-services", "power-off", "power-on", "unplug", "plug", "block",
        "unblock", "kill-daemon", "terminate-daemon", "start-daemon", "freeze-daemon",
        "resume-daemon", "restart-bus", "hold-calls", "refuse-calls", "release-calls",
        "other-connects", "other-disconnects", "other-scans", "other-stops-scanning",
        "other-acquires", "other-releases", "connects-despite-disconnect",
        "disconnect-prevents-connect",
    ]

    fileprivate init(_ name: String, _ fields: ObjectFields) throws(DeviceFileError) {
        if let fault = try Self.ofMachine(name, fields) {
            self = fault
        } else if let fault = try Self.ofDevice(name, fields) {
            self = fault
        } else {
            throw Self.unknown(name, fields)
        }
    }

    private static func unknown(_ name: String, _ fields: ObjectFields) -> DeviceFileError {
        fields.failure(
            "fault",
            "is unknown: \(name.prefix(40)); use one of \(names.joined(separator: ", "))"
        )
    }

    private static func ofMachine(
        _ name: String,
        _ fields: ObjectFields
    ) throws(DeviceFileError) -> Fault? {
        switch name {
        case "power-off": .adapterPowered(try fields.adapter(), false)
        case "power-on": .adapterPowered(try fields.adapter(), true)
        case "unplug": .adapterUnplugged(try fields.adapter())
        case "plug": .adapterPlugged(try fields.adapter())
        case "block": .adaptersBlocked(true)
        case "unblock": .adaptersBlocked(false)
        case "kill-daemon": .daemonKilled
        case "terminate-daemon": .daemonTerminated
        case "start-daemon": .daemonStarted
        case "freeze-daemon": .daemonFrozen(for: try fields.duration("seconds"))
        case "resume-daemon": .daemonResumed
        case "restart-bus": .busRestarted
        case "hold-calls": .callsHeld(try fields.text("method"))
        case "release-calls": .callsReleased(try fields.text("method"))
        case "refuse-calls":
            .callsRefused(
                try fields.text("method"),
                name: try fields.errorName(),
                text: try fields.optionalText("text") ?? ""
            )
        case "connects-despite-disconnect": .connectsDespiteDisconnect(true)
        case "disconnect-prevents-connect": .connectsDespiteDisconnect(false)
        default: nil
        }
    }

    private static func ofDevice(
        _ name: String,
        _ fields: ObjectFields
    ) throws(DeviceFileError) -> Fault? {
        switch name {
        case "lose-link": .linkLost(try fields.optionalDevice(), try fields.reason())
        case "leave-range": .deviceLeft(try fields.optionalDevice())
        case "return-to-range": .deviceReturned(try fields.optionalDevice())
        case "stop-responding": .deviceSilent(try fields.optionalDevice())
        case "change-services": .servicesChanged(try fields.optionalDevice())
        case "other-connects": .otherProgramConnects(try fields.device())
        case "other-disconnects": .otherProgramDisconnects(try fields.device())
        case "other-scans": .otherProgramScans(true)
        case "other-stops-scanning": .otherProgramScans(false)
        case "other-acquires":
            .otherProgramAcquires(try fields.characteristic("characteristic"), true)
        case "other-releases":
            .otherProgramAcquires(try fields.characteristic("characteristic"), false)
        default: nil
        }
    }
}

extension ObjectFields {
    fileprivate func optionalDuration(_ name: String) throws(DeviceFileError) -> Duration? {
        guard let seconds = try optionalNumber(name) else { return nil }
        guard let duration = Duration(faultSeconds: seconds) else {
            throw failure(name, "must be 0 to 1e9 seconds")
        }
        return duration
    }

    fileprivate func duration(_ name: String) throws(DeviceFileError) -> Duration {
        guard let duration = try optionalDuration(name) else { throw failure(name, "is missing") }
        return duration
    }

    fileprivate func adapter() throws(DeviceFileError) -> Int {
        let number = has("adapter") ? try whole("adapter") : 0
        guard (0...15).contains(number) else { throw failure("adapter", "must be 0 to 15") }
        return number
    }

    fileprivate func optionalDevice() throws(DeviceFileError) -> String? {
        guard let text = try optionalText("device") else { return nil }
        guard RadioAddress(text, .random) != nil else {
            throw failure("device", "must be an address such as C4:7C:8D:6A:1F:02")
        }
        return text
    }

    fileprivate func device() throws(DeviceFileError) -> String {
        guard let device = try optionalDevice() else { throw failure("device", "is missing") }
        return device
    }

    fileprivate func characteristic(_ name: String) throws(DeviceFileError) -> String {
        let text = try text(name)
        guard UUIDText.long(text) != nil else {
            throw failure(name, "must be a UUID of 4, 8 or 36 characters")
        }
        return text
    }

    fileprivate func reason() throws(DeviceFileError) -> SimulatedDisconnectReason {
        guard let text = try optionalText("reason") else { return .timedOut }
        guard let reason = SimulatedDisconnectReason(rawValue: text) else {
            let names = SimulatedDisconnectReason.allCases.map(\.rawValue)
            throw failure("reason", "must be one of \(names.joined(separator: ", "))")
        }
        return reason
    }

    // bluetoothd could not send a name that D-Bus does not accept.
    fileprivate func errorName() throws(DeviceFileError) -> String {
        let name = try text("error")
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        let isValid =
            name.utf8.count <= 255 && parts.count > 1
            && parts.allSatisfy { part in
                part.first.map { !$0.isNumber } ?? false
                    && part.utf8.allSatisfy { byte in
                        Character(Unicode.Scalar(byte)).isLetter && byte < 0x80
                            || Character(Unicode.Scalar(byte)).isNumber && byte < 0x80
                            || byte == UInt8(ascii: "_")
                    }
            }
        guard isValid else {
            throw failure("error", "must be a name such as org.bluez.Error.Failed")
        }
        return name
    }
}

extension Duration {
    /// A time in a file; `nil` outside 0 to 1e9 seconds.
    fileprivate init?(faultSeconds seconds: Double) {
        guard (0...1e9).contains(seconds) else { return nil }
        self = .milliseconds(Int((seconds * 1000).rounded()))
    }
}
