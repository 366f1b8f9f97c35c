import BluejayExplainer
import Testing

/// Tests `Conclusion` and `SpanReason`.
@Suite("The sentences below the table", .timeLimit(.minutes(15)))
struct ConclusionTests {
    private static func sentences(
        _ end: Int,
        _ build: (inout EventScript) -> Void
    ) -> [String] {
        var script = EventScript.connected()
        build(&script)
        return Conclusion(script.timeline(until: end)).sentences
    }

    @Test("A disconnect of two seconds is the pause of BlueZ")
    func disconnect() {
        let sentences = Self.sentences(2_170) { script in
            let call = script.call(160, "Device1.Disconnect", EventScript.sensor)
            script.reply(2_165, call)
        }
        #expect(
            sentences == [
                "Longest part: disconnect from Sensor, 2.01 s of 2.17 s: BlueZ waits 2 s before it "
                    + "cuts a link."
            ]
        )
    }

    static let scans: [([String], Int?, String)] = [
        ([], nil, "no device advertised"),
        ([EventScript.lamp], nil, "only Lamp advertised"),
        ([EventScript.lamp, EventScript.sensor], nil, "2 devices advertised"),
        (
            [EventScript.sensor], 1_200,
            "the first advertisement of Sensor arrived after 1.00 s"
        ),
        (
            [EventScript.sensor], 2_500,
            "the first advertisement of Sensor arrived after 1.00 s, and the search continued for "
                + "a second device with that name"
        ),
    ]

    @Test("A scan is as long as the wait for the first advertisement", arguments: scans)
    func scan(advertised: [String], end: Int?, reason: String) {
        var script = EventScript.started()
        _ = script.call(100, "Adapter1.StartDiscovery", EventScript.adapter)
        for path in advertised { script.add(1_100, .advertised(path: path)) }
        if let end {
            let stop = script.call(end, "Adapter1.StopDiscovery", EventScript.adapter)
            script.reply(end, stop)
            let call = script.call(end, "Device1.Connect", EventScript.sensor)
            script.reply(end + 20, call)
        }
        let sentences = Conclusion(script.timeline(until: 3_100)).sentences
        #expect(sentences.count == 1)
        #expect(sentences.first?.hasSuffix(": \(reason).") == true, "\(sentences)")
    }

    @Test("The failed part comes first, with the event that ended it")
    func daemonEnds() {
        let sentences = Self.sentences(3_000) { script in
            let first = script.call(110, "GattCharacteristic1.ReadValue", EventScript.level)
            script.reply(910, first)
            let call = script.call(1_000, "GattCharacteristic1.ReadValue", EventScript.level)
            script.add(1_300, .daemonChanged(isRunning: false))
            script.reply(1_301, call, "no reply")
        }
        #expect(
            sentences == [
                "Read of 2A19 of Sensor failed after 301 ms: no reply; bluetoothd ended.",
                "Longest part: read of 2A19 of Sensor, 800 ms of 3.00 s: BlueZ waits for the "
                    + "response of the device.",
            ]
        )
    }

    @Test("A part that does not end is a failure, and an adapter without power its reason")
    func poweredOff() {
        let sentences = Self.sentences(1_500) { script in
            _ = script.call(500, "GattCharacteristic1.ReadValue", EventScript.level)
            script.change(700, EventScript.adapter, ["Adapter1.Powered": "false"])
        }
        #expect(
            sentences.first
                == "Read of 2A19 of Sensor did not end within 1.00 s; hci0 was powered off."
        )
    }

    @Test("A call of another program for the same device explains a slow read")
    func otherProgram() {
        let sentences = Self.sentences(5_000) { script in
            let other = script.call(
                110,
                "GattCharacteristic1.WriteValue",
                EventScript.level,
                by: ":1.20"
            )
            let call = script.call(120, "GattCharacteristic1.ReadValue", EventScript.level)
            script.reply(4_000, other)
            script.reply(4_100, call)
        }
        #expect(
            sentences == [
                "Longest part: read of 2A19 of Sensor, 3.98 s of 5.00 s: meanwhile program :1.20 "
                    + "called GattCharacteristic1.WriteValue of 2A19 of Sensor."
            ]
        )
    }

    @Test("A connection during the scan of another program is slow because of it")
    func otherScan() {
        var script = EventScript.started()
        let call = script.call(30, "Device1.Connect", EventScript.sensor)
        script.change(50, EventScript.adapter, ["Adapter1.Discovering": "true"])
        script.reply(3_000, call)
        let sentences = Conclusion(script.timeline(until: 3_010)).sentences
        #expect(
            sentences == [
                "Longest part: connect to Sensor, 2.97 s of 3.01 s: another program scans with "
                    + "hci0, which delays connections."
            ]
        )
    }

    @Test("A slow pairing names the wait for the answer")
    func pairing() {
        let sentences = Self.sentences(9_000) { script in
            let pair = script.call(500, "Device1.Pair", EventScript.sensor)
            let question = BusCall.ID(caller: ":1.2", serial: 70)
            script.add(
                1_000,
                .called(BusCall(question, "Agent1.RequestPasskey", path: "", isReceived: true))
            )
            script.reply(8_000, question)
            script.reply(8_500, pair)
        }
        #expect(
            sentences == [
                "Longest part: pairing with Sensor, 8.00 s of 9.00 s: 7.00 s of it waited for your "
                    + "answer."
            ]
        )
    }

    @Test("A wait in the queue names the operation before it")
    func queue() {
        let sentences = Self.sentences(2_000) { script in
            script.add(110, .enqueued(operation: "1", name: "read of 2A19"))
            script.add(111, .started(operation: "1"))
            script.add(112, .enqueued(operation: "2", name: "read of 2A29"))
            script.add(1_300, .completed(operation: "1", error: nil))
            script.add(1_301, .started(operation: "2"))
            script.add(1_310, .completed(operation: "2", error: nil))
        }
        #expect(
            sentences == [
                "Longest part: wait of read of 2A29 in the queue, 1.19 s of 2.00 s: read of 2A19 "
                    + "came first."
            ]
        )
    }

    @Test("Without bluetoothd, the start is the failure")
    func missingDaemon() {
        var script = EventScript()
        _ = script.call(5, "DBus.StartServiceByName", "/org/freedesktop/DBus")
        #expect(
            Conclusion(script.timeline(until: 300)).sentences == [
                "Start did not end within 300 ms; bluetoothd did not run, and the bus was asked to "
                    + "start it."
            ]
        )
    }

    @Test("An invisible part of the bus is named at the end")
    func unprivileged() {
        let timeline = EventScript.connected().timeline(until: 100, showsOtherPrograms: false)
        let last = "The bus shows the calls of other programs to root only."
        #expect(Conclusion(timeline).sentences.last == last)
    }

    static let durations: [(Duration, String)] = [
        (.zero, "0.0 ms"), (.microseconds(40), "0.0 ms"), (.microseconds(1_250), "1.3 ms"),
        (.microseconds(9_949), "9.9 ms"), (.microseconds(9_950), "10 ms"),
        (.microseconds(999_499), "999 ms"), (.microseconds(999_500), "1.00 s"),
        (.milliseconds(12_345), "12.35 s"), (.seconds(3_600), "3600.00 s"),
    ]

    @Test("A duration has three digits or fewer below a second", arguments: durations)
    func duration(duration: Duration, text: String) {
        #expect(duration.text == text)
    }
}
