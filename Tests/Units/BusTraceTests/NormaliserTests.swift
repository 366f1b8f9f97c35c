import BluejayDBus
import Testing

@testable import BusTrace

@Suite("Normalization of a trace")
struct NormaliserTests {
    private let sensor = Conversation.sensor
    private let measurement = Conversation.measurement

    @Test("A reply names its call, also with other messages between them")
    func pairs() {
        var talk = Conversation()
        let first = talk.call(sensor, "Device1", "Connect")
        let second = talk.call("/org/bluez/hci0", "Adapter1", "StopDiscovery")
        talk.fail(second, "org.bluez.Error.Failed", "No discovery started")
        talk.changed(sensor, "Device1", [("Connected", .boolean(true))])
        talk.reply(first)
        #expect(
            talk.events() == [
                "call Connect dev", "call StopDiscovery hci0",
                "error StopDiscovery hci0: org.bluez.Error.Failed \"No discovery started\"",
                "signal dev Connected=true", "reply Connect dev: ok",
            ]
        )
    }

    @Test(
        "Devices are numbered in order of appearance, and keep their numbers over a restart of bluetoothd"
    )
    func restart() {
        var talk = Conversation()
        talk.changed(sensor, "Device1", [("Connected", .boolean(true))])
        let call = talk.call(Conversation.other, "Device1", "Connect")
        talk.fail(
            call,
            "org.freedesktop.DBus.Error.NoReply",
            "Message recipient disconnected from message bus without replying",
            sender: "org.freedesktop.DBus"
        )
        talk.owner("")
        talk.owner(":1.9")
        talk.changed(Conversation.other, "Device1", [("Connected", .boolean(true))])
        talk.changed(sensor, "Device1", [("Connected", .boolean(false))])
        #expect(
            talk.events() == [
                "signal dev Connected=true", "call Connect dev2",
                "error Connect dev2: org.freedesktop.DBus.Error.NoReply "
                    + "\"Message recipient disconnected from message bus without replying\"",
                "signal org.bluez gone", "signal org.bluez appeared",
                "signal dev2 Connected=true", "signal dev Connected=false",
            ]
        )
    }

    @Test("A device that occurs only in a list does not shift the numbers of the others")
    func leftOver() {
        var talk = Conversation()
        let call = talk.call("/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
        talk.reply(
            call,
            [Conversation.objects([(Conversation.other, []), ("/org/bluez/hci0", [])])]
        )
        talk.changed(sensor, "Device1", [("Connected", .boolean(true))])
        #expect(
            talk.events() == [
                "call GetManagedObjects", "reply GetManagedObjects: dev2, hci0",
                "signal dev Connected=true",
            ]
        )
    }

    @Test("GATT objects are named by their UUID, from a signal or a list")
    func attributes() {
        var talk = Conversation()
        let service = sensor + "/service000e"
        talk.added(service, "GattService1", [("UUID", .string(Conversation.uuid("180d")))])
        let call = talk.call("/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
        let interface = "org.bluez.GattCharacteristic1"
        let uuid = BusValue.string(Conversation.uuid("2a37"))
        talk.reply(
            call,
            [
                Conversation.objects([
                    (service + "/char0019", [(interface, [("UUID", uuid)])]),
                    (service + "/char000f", [(interface, [("UUID", uuid)])]),
                ])
            ]
        )
        talk.call(service + "/char0019", "GattCharacteristic1", "StartNotify")
        #expect(
            talk.events() == [
                "signal added dev/180D GattService1(UUID=180D)", "call GetManagedObjects",
                "reply GetManagedObjects: dev/180D/2A37, dev/180D/2A37#2",
                "call StartNotify dev/180D/2A37#2",
            ]
        )
    }

    @Test("An added object shows sorted property names, and the values of the relevant ones")
    func appearance() {
        var talk = Conversation()
        talk.added(
            measurement,
            "GattCharacteristic1",
            [
                ("UUID", .string(Conversation.uuid("2a37"))), ("MTU", .uint16(517)),
                ("Value", .bytes([1])), ("Flags", .strings(["notify"])),
                ("Service", Conversation.path(sensor + "/service000e")),
            ]
        )
        #expect(
            talk.events() == [
                "signal added dev/service000e/2A37 "
                    + "GattCharacteristic1(Flags=[\"notify\"] MTU Service UUID=2A37 Value)"
            ]
        )
    }

    @Test("A change is one event with sorted names, and lists the invalidated properties")
    func change() {
        var talk = Conversation()
        talk.changed(
            sensor,
            "Device1",
            [
                ("UUIDs", .strings([Conversation.uuid("180d")])), ("RSSI", .int16(-40)),
                ("ServicesResolved", .boolean(true)),
            ],
            invalidated: ["TxPower", "Icon"]
        )
        talk.changed(sensor, "Battery1", [("Percentage", .byte(90))])
        #expect(
            talk.events() == [
                "signal dev RSSI=* ServicesResolved=true UUIDs=[180D] invalidated Icon TxPower",
                "signal dev Battery1 Percentage=90",
            ]
        )
    }

    @Test("Values are hexadecimal; descriptors and transfer units are omitted")
    func values() {
        var talk = Conversation()
        talk.addHeartRate()
        let path = Conversation.location
        let options = BusValue.properties([("type", .string("request")), ("mtu", .uint16(23))])
        let write = talk.call(
            path,
            "GattCharacteristic1",
            "WriteValue",
            [.bytes([1, 0xAB]), options]
        )
        talk.reply(write)
        let acquire = talk.call(path, "GattCharacteristic1", "AcquireNotify", [.properties([])])
        talk.reply(acquire, [.string("descriptor"), .uint16(517)])
        #expect(
            talk.events().suffix(4) == [
                "call WriteValue dev/180D/2A38: 0x01ab, {mtu: *, type: \"request\"}",
                "reply WriteValue dev/180D/2A38: ok",
                "call AcquireNotify dev/180D/2A38: {}", "reply AcquireNotify dev/180D/2A38: *",
            ]
        )
    }

    @Test("Repeated notifications are one event, also between other events", arguments: [1, 2, 50])
    func heartBeats(count: Int) {
        var talk = Conversation()
        talk.addHeartRate()
        for beat in 0..<count {
            let value = BusValue.bytes([0, UInt8(beat)])
            talk.changed(measurement, "GattCharacteristic1", [("Value", value)])
            talk.changed("/org/bluez/hci0", "Adapter1", [("Discovering", .boolean(true))])
        }
        talk.call(measurement, "GattCharacteristic1", "StopNotify")
        let expected =
            ["signal value… dev/180D/2A37"]
            + Array(repeating: "signal hci0 Discovering=true", count: count)
            + ["call StopNotify dev/180D/2A37"]
        #expect(talk.events().suffix(count + 2) == expected)
    }

    @Test("The echo of a read is not a notification, and keeps its value")
    func echo() {
        var talk = Conversation()
        talk.addHeartRate()
        let call = talk.call(
            Conversation.location,
            "GattCharacteristic1",
            "ReadValue",
            [.properties([])]
        )
        talk.changed(Conversation.location, "GattCharacteristic1", [("Value", .bytes([7]))])
        talk.changed(Conversation.location, "GattCharacteristic1", [("Value", .bytes([2]))])
        talk.reply(call, [.bytes([2])])
        #expect(
            talk.events().suffix(4) == [
                "call ReadValue dev/180D/2A38: {}", "signal value… dev/180D/2A38",
                "signal dev/180D/2A38 Value=0x02", "reply ReadValue dev/180D/2A38: 0x02",
            ]
        )
    }

    @Test("Calls of other connections are omitted, and their effects are not")
    func otherClients() {
        var talk = Conversation()
        let own = talk.call(sensor, "Device1", "Connect", process: 100)
        let foreign = talk.call(sensor, "Device1", "Disconnect", from: ":1.8", process: 200)
        talk.changed(sensor, "Device1", [("Connected", .boolean(false))])
        talk.reply(foreign, to: ":1.8")
        talk.reply(own)
        let expected = ["call Connect dev", "signal dev Connected=false", "reply Connect dev: ok"]
        #expect(talk.events(TraceNormalizer(clients: .processes([100]))) == expected)
        #expect(talk.events(TraceNormalizer(clients: .connections([":1.7"]))) == expected)
        #expect(talk.events().count == 5)
    }

    @Test("Other adapters, RSSI changes and pings are omitted")
    func silence() {
        var talk = Conversation()
        talk.changed("/org/bluez/hci1", "Adapter1", [("Powered", .boolean(false))])
        talk.added("/org/bluez/hci1/dev_00_AA_01_00_00_00", "Device1", [])
        talk.call("/org/bluez/hci1", "Adapter1", "StartDiscovery")
        talk.changed(sensor, "Device1", [("RSSI", .int16(-50))])
        talk.reply(talk.call("/org/bluez", "org.freedesktop.DBus.Peer", "Ping"))
        #expect(talk.events().isEmpty)
    }

    @Test("Agent calls of BlueZ and the replies are included")
    func agent() {
        var talk = Conversation()
        talk.call("/org/bluez", "AgentManager1", "RegisterAgent", [Conversation.path("/agent")])
        let serial = talk.add(
            RecordedMessage(
                .call,
                serial: 500,
                sender: ":1.0",
                destination: ":1.7",
                path: "/agent",
                interface: "org.bluez.Agent1",
                member: "RequestAuthorization",
                arguments: [Conversation.path(sensor)]
            )
        )
        talk.add(
            RecordedMessage(
                .reply,
                serial: 501,
                replySerial: serial,
                sender: ":1.7",
                destination: ":1.0"
            )
        )
        #expect(
            talk.events() == [
                "call RegisterAgent org.bluez: /agent",
                "bluez calls Agent1.RequestAuthorization /agent: dev",
                "client's reply Agent1.RequestAuthorization /agent: ok",
            ]
        )
    }

    @Test("Text with line breaks and quotation marks is escaped into one line")
    func escapes() {
        var talk = Conversation()
        let call = talk.call(sensor, "Device1", "Connect")
        talk.fail(call, "org.freedesktop.DBus.Error.UnknownObject", "no \"Connect\"\r\n")
        #expect(
            talk.events().last
                == "error Connect dev: org.freedesktop.DBus.Error.UnknownObject "
                + "\"no \\\"Connect\\\"\\u{d}\\n\""
        )
    }
}
