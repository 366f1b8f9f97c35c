import Testing

@testable import BluejayExplainer

/// Tests `TimelineBuilder` and `QueueBuilder`.
@Suite("The timeline of a command", .timeLimit(.minutes(15)))
struct TimelineTests {
    @Test("A signal divides the connection from the discovery of the services")
    func connection() {
        var script = EventScript.connected()
        let read = script.call(110, "GattCharacteristic1.ReadValue", EventScript.level)
        script.reply(150, read)
        let disconnect = script.call(160, "Device1.Disconnect", EventScript.sensor)
        script.reply(2_160, disconnect)
        script.change(2_161, EventScript.sensor, ["Device1.Connected": "false"])
        let timeline = script.timeline(until: 2_170)
        #expect(
            timeline.spanTexts == [
                "0-20 start: ok", "30-60 connect to Sensor: ok",
                "60-100 service discovery of Sensor: ok", "110-150 read of 2A19 of Sensor: ok",
                "160-2160 disconnect from Sensor: ok",
            ]
        )
        #expect(timeline.notes == [])
        #expect(timeline.spans.dropFirst().allSatisfy { $0.owner == "Sensor (C0:00:00:00:00:01)" })
    }

    @Test("A scan lasts until the reply to its end, and reports the first advertisements")
    func scan() {
        var script = EventScript.started()
        let start = script.call(30, "Adapter1.StartDiscovery", EventScript.adapter)
        script.reply(31, start)
        script.change(31, EventScript.adapter, ["Adapter1.Discovering": "true"])
        script.add(400, .advertised(path: EventScript.sensor))
        let stop = script.call(410, "Adapter1.StopDiscovery", EventScript.adapter)
        script.reply(420, stop)
        let timeline = script.timeline(until: 500)
        #expect(timeline.spanTexts == ["0-20 start: ok", "30-420 scan of hci0: ok"])
        #expect(timeline.sightings.map(\.subject) == ["Sensor"])
        #expect(timeline.notes == [])
    }

    @Test("A link that ends during the discovery fails it, with the reason of bluetoothd")
    func lostLink() {
        var script = EventScript.started()
        let call = script.call(30, "Device1.Connect", EventScript.sensor)
        script.change(60, EventScript.sensor, ["Device1.Connected": "true"])
        let reason = "org.bluez.Reason.Timeout"
        script.add(200, .disconnected(path: EventScript.sensor, reason: reason))
        script.change(201, EventScript.sensor, ["Device1.Connected": "false"])
        script.reply(201, call, "le-connection-abort-by-local")
        let timeline = script.timeline(until: 210)
        #expect(
            timeline.spanTexts == [
                "0-20 start: ok", "30-60 connect to Sensor: ok",
                "60-201 service discovery of Sensor: the link ended",
            ]
        )
        #expect(
            timeline.noteTexts == [
                "200 Sensor: reason of the end of the link: Timeout", "201 Sensor: disconnected",
            ]
        )
    }

    @Test("A refused connection fails with the error of bluetoothd")
    func refused() {
        var script = EventScript.started()
        let call = script.call(30, "Device1.Connect", EventScript.sensor)
        script.reply(90, call, "Too many links")
        #expect(
            script.timeline(until: 100).spanTexts == [
                "0-20 start: ok", "30-90 connect to Sensor: Too many links",
            ]
        )
    }

    @Test("A subscription lasts until its end, the end of the link, or the end of the command")
    func subscription() {
        var script = EventScript.connected()
        let start = script.call(110, "GattCharacteristic1.StartNotify", EventScript.level)
        script.reply(120, start)
        var texts = script.timeline(until: 200).spanTexts.suffix(2)
        #expect(
            texts == [
                "110-120 subscription to 2A19 of Sensor: ok",
                "120- notifications of 2A19 of Sensor: until the end",
            ]
        )
        var lost = script
        lost.change(150, EventScript.sensor, ["Device1.Connected": "false"])
        texts = lost.timeline(until: 200).spanTexts.suffix(1)
        #expect(texts == ["120-150 notifications of 2A19 of Sensor: ok"])
        let stop = script.call(160, "GattCharacteristic1.StopNotify", EventScript.level)
        script.reply(165, stop)
        texts = script.timeline(until: 200).spanTexts.suffix(2)
        #expect(
            texts == [
                "120-160 notifications of 2A19 of Sensor: ok",
                "160-165 end of the subscription to 2A19 of Sensor: ok",
            ]
        )
    }

    @Test("The end of bluetoothd ends scans and subscriptions with an error")
    func daemonEnds() {
        var script = EventScript.connected()
        let start = script.call(110, "GattCharacteristic1.StartNotify", EventScript.level)
        script.reply(120, start)
        let read = script.call(130, "GattCharacteristic1.ReadValue", EventScript.level)
        script.add(200, .daemonChanged(isRunning: false))
        script.reply(201, read, "Message recipient disconnected from message bus without replying")
        script.add(900, .daemonChanged(isRunning: true))
        let timeline = script.timeline(until: 1_000)
        #expect(
            timeline.spanTexts.suffix(2) == [
                "120-200 notifications of 2A19 of Sensor: bluetoothd left the bus",
                "130-201 read of 2A19 of Sensor: "
                    + "Message recipient disconnected from message bus without replying",
            ]
        )
        #expect(timeline.noteTexts == ["200 left the bus", "900 joined the bus"])
    }

    @Test("The end of the bus ends the spans, also the start")
    func busEnds() {
        var script = EventScript()
        _ = script.call(5, "ObjectManager.GetManagedObjects", "/")
        script.add(50, .busLost)
        let timeline = script.timeline(until: 100)
        #expect(timeline.spanTexts == ["0-50 start: the bus ended"])
        #expect(timeline.noteTexts == ["50 the bus ended the connection"])
    }

    @Test("A start without bluetoothd lasts until the end of the command")
    func missingDaemon() {
        var script = EventScript()
        let start = script.call(5, "DBus.StartServiceByName", "/org/freedesktop/DBus")
        script.reply(9, start, "not activatable")
        let timeline = script.timeline(until: 100)
        #expect(timeline.spanTexts == ["0- start: unfinished"])
        #expect(timeline.noteTexts == ["5 bluetoothd: requested the start from the bus"])
    }

    @Test("Changes that this command did not request are those of other programs")
    func otherPrograms() {
        var script = EventScript.started()
        script.change(40, EventScript.adapter, ["Adapter1.Discovering": "true"])
        script.change(50, EventScript.lamp, ["Device1.Connected": "true"])
        script.change(60, EventScript.lamp, ["Device1.Connected": "false"])
        script.change(70, EventScript.adapter, ["Adapter1.Powered": "false"])
        let timeline = script.timeline(until: 100)
        #expect(
            timeline.noteTexts == [
                "40 hci0: another program scans",
                "50 Lamp: connected without a call of this command", "60 Lamp: disconnected",
                "70 hci0: powered off",
            ]
        )
        #expect(timeline.notes.map(\.source) == [.other, .other, .bluetoothd, .bluetoothd])
    }

    @Test("Calls of other programs have their name, and calls of this command are no such calls")
    func foreignCalls() {
        var script = EventScript.started()
        let own = script.call(30, "Device1.Connect", EventScript.sensor, by: ":1.10")
        let other = script.call(40, "Device1.Connect", EventScript.lamp, by: ":1.20")
        script.reply(50, own)
        script.add(55, .identified(busName: ":1.20", program: "gnome-shell (812)"))
        script.reply(60, other, "Page Timeout")
        _ = script.call(70, "Properties.GetAll", EventScript.lamp, by: ":1.20")
        _ = script.call(80, "Device1.Pair", EventScript.lamp, by: ":1.21")
        let calls = script.timeline(until: 100).foreignCalls
        #expect(calls.map(\.program) == ["gnome-shell (812)", "program :1.21"])
        #expect(calls.map(\.name) == ["Device1.Connect", "Device1.Pair"])
        #expect(calls.map(\.subject) == ["Lamp", "Lamp"])
        #expect(calls.map(\.error) == ["Page Timeout", nil])
    }

    @Test("A question during pairing lasts until the answer")
    func pairing() {
        var script = EventScript.connected()
        let pair = script.call(110, "Device1.Pair", EventScript.sensor)
        let question = BusCall.ID(caller: ":1.2", serial: 70)
        script.add(
            120,
            .called(
                BusCall(
                    question,
                    "Agent1.RequestPasskey",
                    path: EventScript.sensor,
                    isReceived: true
                )
            )
        )
        script.reply(900, question)
        script.change(950, EventScript.sensor, ["Device1.Paired": "true"])
        script.reply(960, pair)
        let timeline = script.timeline(until: 1_000)
        #expect(
            timeline.spanTexts.suffix(2) == [
                "110-960 pairing with Sensor: ok", "120-900 question during pairing: ok",
            ]
        )
        #expect(timeline.noteTexts == ["950 Sensor: paired"])
    }

    @Test("A wait in the queue is a span, and a failed operation a note")
    func queue() {
        var script = EventScript.connected()
        script.add(110, .enqueued(operation: "1", name: "read of 2A19"))
        script.add(111, .started(operation: "1"))
        script.add(112, .enqueued(operation: "2", name: "read of 2A29"))
        script.add(300, .completed(operation: "1", error: "timed out"))
        script.add(301, .started(operation: "2"))
        script.add(310, .completed(operation: "2", error: nil))
        let timeline = script.timeline(until: 400)
        #expect(timeline.spanTexts.suffix(1) == ["112-301 wait of read of 2A29 in the queue: ok"])
        #expect(timeline.noteTexts == ["300 read of 2A19: failed: timed out"])
        #expect(timeline.operations.map(\.end) == [.milliseconds(300), .milliseconds(310)])
    }

    @Test("A full recording says that events are missing")
    func overflow() {
        var script = EventScript.connected()
        script.add(110, .overflowed)
        #expect(script.timeline(until: 200).noteTexts == ["110 the recording is full"])
    }
}
