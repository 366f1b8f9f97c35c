import BluejayExplainer
import Testing

@testable import BluejayTool

@Suite("The table of a command", .timeLimit(.minutes(15)))
struct TimelineTableTests {
    private static func timeline() -> Timeline {
        var script = EventScript.connected()
        let filter = script.call(105, "Adapter1.SetDiscoveryFilter", EventScript.adapter)
        script.reply(106, filter)
        let read = script.call(110, "GattCharacteristic1.ReadValue", EventScript.level)
        script.add(111, .advertised(path: EventScript.sensor))
        script.add(112, .advertised(path: EventScript.lamp))
        script.change(115, EventScript.lamp, ["Device1.Connected": "true"])
        let other = script.call(116, "Device1.Pair", EventScript.lamp, by: ":1.20")
        script.reply(120, other, "Failed")
        script.reply(1_310, read)
        return script.timeline(until: 1_400)
    }

    @Test("Spans and what happened meanwhile stand in the order of their time")
    func drawn() {
        #expect(
            TimelineTable(Self.timeline()).lines(width: nil) == [
                "     AT     TOOK  WHAT                         RESULT",
                " 0.0 ms    20 ms  start                        ok",
                "  30 ms    30 ms  connect to Sensor            ok",
                "  60 ms    40 ms  service discovery of Sensor  ok",
                " 110 ms   1.20 s  read of 2A19 of Sensor       ok",
                " 111 ms             bluetoothd                 Sensor: first advertisement",
                " 115 ms             others                     "
                    + "Lamp: connected without a call of this command",
                " 116 ms   4.0 ms    program :1.20              Device1.Pair of Lamp: Failed",
            ]
        )
    }

    @Test("Each line fits into a narrow terminal", arguments: [20, 39, 60])
    func narrow(width: Int) {
        let lines = TimelineTable(Self.timeline()).lines(width: width)
        #expect(lines.count == 8)
        #expect(lines.filter { $0.displayWidth > width } == [])
    }
}
