import BluejayExplainer
import Foundation

/// The events of an imaginary command, at given milliseconds.
struct EventScript {
    static let adapter = "/org/bluez/hci0"
    static let sensor = adapter + "/dev_C0_00_00_00_00_01"
    static let lamp = adapter + "/dev_C0_00_00_00_00_02"
    static let level = sensor + "/service0010/char0011"

    private(set) var events: [TraceEvent] = []
    private var lastSerial: UInt32 = 0

    /// The start of a command, which takes 20 ms; bluetoothd knows a sensor.
    static func started() -> EventScript {
        var script = EventScript()
        let call = script.call(5, "ObjectManager.GetManagedObjects", "/")
        script.add(20, .connected(busName: ":1.10"))
        script.reply(20, call)
        script.add(20, .listed(path: sensor, ["Device1.Name": "Sensor"], isNew: false))
        script.add(20, .listed(path: lamp, ["Device1.Name": "Lamp"], isNew: false))
        let uuid = "00002a19-0000-1000-8000-00805f9b34fb"
        script.add(20, .listed(path: level, ["GattCharacteristic1.UUID": uuid], isNew: false))
        return script
    }

    /// A command that has connected by 100 ms.
    static func connected() -> EventScript {
        var script = started()
        let call = script.call(30, "Device1.Connect", sensor)
        script.change(60, sensor, ["Device1.Connected": "true"])
        script.change(100, sensor, ["Device1.ServicesResolved": "true"])
        script.reply(100, call)
        return script
    }

    mutating func add(_ time: Int, _ fact: TraceEvent.Fact) {
        events.append(TraceEvent(.milliseconds(time), fact))
    }

    /// Adds a call, of this program unless `caller` is given.
    mutating func call(_ time: Int, _ name: String, _ path: String, by caller: String? = nil)
        -> BusCall.ID
    {
        lastSerial += 1
        let id = BusCall.ID(caller: caller, serial: lastSerial)
        add(time, .called(BusCall(id, name, path: path)))
        return id
    }

    mutating func reply(_ time: Int, _ id: BusCall.ID, _ error: String? = nil) {
        add(time, .replied(id, error: error))
    }

    mutating func change(_ time: Int, _ path: String, _ properties: BusProperties) {
        add(time, .changed(path: path, properties))
    }

    func timeline(until end: Int, showsOtherPrograms: Bool = true) -> Timeline {
        Timeline(
            events,
            duration: .milliseconds(end),
            showsOtherPrograms: showsOtherPrograms
        )
    }
}

extension Timeline {
    /// The spans as text: `30-60 connect to Sensor: ok`.
    var spanTexts: [String] {
        spans.map { span in
            let end = span.end.map { "\(Int($0 / .milliseconds(1)))" } ?? ""
            return "\(Int(span.start / .milliseconds(1)))-\(end) \(span.title): \(span.result)"
        }
    }

    /// The notes as text: `30 Sensor: paired`.
    var noteTexts: [String] {
        notes.map { note in
            let subject = note.subject.isEmpty ? "" : "\(note.subject): "
            return "\(Int(note.time / .milliseconds(1))) \(subject)\(note.text)"
        }
    }
}
