import Testing

@testable import BluejaySimulator

@Suite("Schedules of faults as data")
struct FaultScheduleTests {
    private static let address = "C4:7C:8D:6A:1F:02"

    private static let worldFaults: [Fault] = [
        .daemonKilled, .daemonTerminated, .daemonStarted, .daemonResumed,
        .daemonFrozen(for: .seconds(30)), .busRestarted, .adapterUnplugged(0),
        .adapterPlugged(1), .adapterPowered(0, false), .adapterPowered(1, true),
        .adaptersBlocked(true), .adaptersBlocked(false), .callsHeld("StartNotify"),
        .callsReleased("StartNotify"),
        .callsRefused("Connect", name: "org.bluez.Error.Failed", text: "le-connection-timeout"),
        .linkLost(nil, .timedOut), .linkLost(address, .byRemoteHost), .deviceLeft(nil),
        .deviceReturned(address), .deviceSilent(nil), .servicesChanged(address),
        .otherProgramConnects(address), .otherProgramDisconnects(address),
        .otherProgramScans(true), .otherProgramScans(false),
        .otherProgramAcquires("2A37", true), .otherProgramAcquires("2A37", false),
        .connectsDespiteDisconnect(true), .connectsDespiteDisconnect(false),
    ]

    private static let triggers: [FaultTrigger] = [
        .time(.milliseconds(1500)), .randomTime(.seconds(10) ... .seconds(60)),
        .call("Connect"), .call("Connect", ordinal: 2),
        .sent("PropertiesChanged", ordinal: 12), .value("2A37", ordinal: 3),
    ]

    @Test("Every fault and every trigger is the same after writing and reading")
    func writing() throws {
        let calls: [FaultEffect] = [
            .callRefused("org.bluez.Error.Failed", "a \"text\" \\ with\u{1}é"),
            .callRefused("org.bluez.Error.Failed", ""), .callUnanswered,
            .callDelayed(.seconds(10)),
        ]
        let events =
            Self.worldFaults.map { FaultEvent(on: .call("ReadValue"), .world($0)) }
            + Self.triggers.map { FaultEvent(on: $0, .world(.daemonKilled), for: .seconds(5)) }
            + calls.map { FaultEvent(on: .call("Connect", ordinal: 2), $0) }
        let schedule = FaultSchedule(events, seed: 7)
        #expect(try FaultSchedule(json: schedule.json) == schedule)
        #expect(try FaultSchedule(json: FaultSchedule().json) == FaultSchedule())
    }

    @Test("A file without counts and devices means the first call and every device")
    func defaults() throws {
        let text = #"{"version": 1, "faults": [{"call": "ReadValue", "fault": "lose-link"}]}"#
        let event = FaultEvent(on: .call("ReadValue"), .world(.linkLost(nil, .timedOut)))
        #expect(try FaultSchedule(json: text) == FaultSchedule([event]))
    }

    @Test(
        "An error in a file names the field, the accepted values and the line",
        arguments: [
            ("", "the file is empty"),
            ("[]", "the file is not an object (line 1)"),
            (#"{"faults": []}"#, "version is missing (line 1)"),
            (
                #"{"version": 2}"#,
                "version is 2; this program reads version 1 (line 1)"
            ),
            (#"{"version": 1, "seed": -1}"#, "seed must be 0 to 4294967295 (line 1)"),
            (
                "{\"version\": 1, \"faults\": [\n{\"fault\": \"block\"}]}",
                "faults[0].fault requires one of at, call, message, value (line 2)"
            ),
            (
                event(#""at": 1, "call": "Connect", "fault": "block""#),
                "faults[0].at requires one of at, call, message, value (line 1)"
            ),
            (
                event(#""at": 1, "count": 2, "fault": "block""#),
                #"faults[0].count has no meaning with "at" (line 1)"#
            ),
            (
                event(#""call": "Connect", "count": 0, "fault": "block""#),
                "faults[0].count must be at least 1 (line 1)"
            ),
            (
                event(#""at": [5, 1], "fault": "block""#),
                "faults[0].at must be seconds, or two of them in ascending order (line 1)"
            ),
            (
                event(#""at": -1, "fault": "block""#),
                "faults[0].at must be 0 to 1e9 seconds (line 1)"
            ),
            (
                event(#""at": 1e300, "fault": "block""#),
                "faults[0].at must be 0 to 1e9 seconds (line 1)"
            ),
            (
                event(#""at": 1, "fault": "no-reply""#),
                #"faults[0].fault affects a call; use it with "call" (line 1)"#
            ),
            (
                event(#""at": 1, "fault": "leave-range", "device": "lamp""#),
                "faults[0].device must be an address such as C4:7C:8D:6A:1F:02 (line 1)"
            ),
            (
                event(#""at": 1, "fault": "lose-link", "reason": "anger""#),
                "faults[0].reason must be one of local, remote, timeout, authentication (line 1)"
            ),
            (
                event(#""call": "Connect", "fault": "refuse", "error": "Failed""#),
                "faults[0].error must be a name such as org.bluez.Error.Failed (line 1)"
            ),
            (
                event(#""value": "lamp", "fault": "block""#),
                "faults[0].value must be a UUID of 4, 8 or 36 characters (line 1)"
            ),
            (
                event(#""at": 1, "fault": "plug", "adapter": 16"#),
                "faults[0].adapter must be 0 to 15 (line 1)"
            ),
        ]
    )
    func errors(text: String, message: String) {
        #expect(throws: FaultScheduleError(description: message)) {
            try FaultSchedule(json: text)
        }
    }

    private static func event(_ fields: String) -> String {
        "{\"version\": 1, \"faults\": [{\(fields)}]}"
    }

    @Test("An unknown fault is refused with the names of all faults")
    func unknownFault() {
        let text = Self.event(#""at": 1, "fault": "explode""#)
        let error = #expect(throws: FaultScheduleError.self) { try FaultSchedule(json: text) }
        #expect(error?.description.contains("is unknown: explode; use one of refuse") == true)
    }

    @Test("A trigger with an ordinal occurs once, at that event")
    func ordinals() {
        let event = FaultEvent(on: .call("ReadValue", ordinal: 2), .callUnanswered)
        var timeline = FaultTimeline(FaultSchedule([event, event]))
        #expect(timeline.called("ReadValue").isEmpty)
        #expect(timeline.called("WriteValue").isEmpty)
        #expect(timeline.sent("ReadValue").isEmpty)
        #expect(timeline.called("ReadValue") == [event, event])
        #expect(timeline.called("ReadValue").isEmpty)
    }

    @Test("Each form of a UUID counts the values of the same characteristic")
    func values() {
        let long = "00002a37-0000-1000-8000-00805f9b34fb"
        for text in ["2A37", "2a37", "00002A37", long] {
            let event = FaultEvent(on: .value(text), .world(.daemonKilled))
            var timeline = FaultTimeline(FaultSchedule([event]))
            #expect(timeline.valueSent(long) == [event])
        }
    }

    @Test("Equal seeds select equal random times, within their limits")
    func seeds() {
        func times(_ seed: UInt32) -> [Duration] {
            let event = FaultEvent(
                on: .randomTime(.seconds(10) ... .seconds(60)),
                .world(.daemonKilled)
            )
            let schedule = FaultSchedule(Array(repeating: event, count: 20), seed: seed)
            return FaultTimeline(schedule).timed.map(\.time)
        }
        #expect(times(7) == times(7))
        #expect(times(7) != times(8))
        #expect(Set(times(7)).count == 20)
        #expect(times(7).allSatisfy { $0 >= .seconds(10) && $0 <= .seconds(60) })
    }

    @Test("The opposite of an opposite is the fault")
    func opposites() {
        let reversible = Self.worldFaults.filter { fault in
            switch fault {
            case .adapterUnplugged, .adapterPlugged, .adapterPowered, .adaptersBlocked,
                .otherProgramScans, .otherProgramAcquires, .connectsDespiteDisconnect:
                true
            default: false
            }
        }
        #expect(reversible.count == 12)
        #expect(reversible.map { $0.opposite?.opposite } == reversible)
        #expect(Fault.deviceSilent(nil).opposite == .deviceReturned(nil))
        #expect(Fault.daemonKilled.opposite == .daemonStarted)
    }
}
