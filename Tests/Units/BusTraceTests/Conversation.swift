import BluejayDBus

@testable import BusTrace

/// A handwritten conversation on a bus.
struct Conversation {
    static let sensor = "/org/bluez/hci0/dev_F0_F1_F2_F3_F4_F5"
    static let other = "/org/bluez/hci0/dev_C4_7C_8D_6A_1F_02"
    static let measurement = sensor + "/service000e/char000f"
    static let location = sensor + "/service000e/char0012"

    private(set) var messages: [RecordedMessage]
    private var bluez: String
    private var nextSerial: UInt32 = 1

    init(bluez: String = ":1.0") {
        self.bluez = bluez
        messages = [.initialOwner(bluez)]
    }

    func events(_ normaliser: TraceNormalizer = TraceNormalizer()) -> [String] {
        normaliser.trace(of: messages).events
    }

    /// Adds a call of a client, and returns its serial.
    @discardableResult
    mutating func call(
        _ path: String,
        _ interface: String,
        _ member: String,
        _ arguments: [BusValue] = [],
        from client: String = ":1.7",
        process: Int? = nil
    ) -> UInt32 {
        add(
            RecordedMessage(
                .call,
                serial: serial(),
                sender: client,
                destination: "org.bluez",
                path: path,
                interface: interface.contains(".") ? interface : "org.bluez." + interface,
                member: member,
                arguments: arguments,
                senderProcess: process
            )
        )
    }

    mutating func reply(_ call: UInt32, _ arguments: [BusValue] = [], to client: String = ":1.7") {
        add(
            RecordedMessage(
                .reply,
                serial: serial(),
                replySerial: call,
                sender: bluez,
                destination: client,
                arguments: arguments
            )
        )
    }

    mutating func fail(_ call: UInt32, _ name: String, _ text: String, sender: String? = nil) {
        add(
            RecordedMessage(
                .error,
                serial: serial(),
                replySerial: call,
                sender: sender ?? bluez,
                destination: ":1.7",
                errorName: name,
                arguments: [.string(text)]
            )
        )
    }

    mutating func changed(
        _ path: String,
        _ interface: String,
        _ properties: BusProperties,
        invalidated: [String] = []
    ) {
        signal(
            path,
            "org.freedesktop.DBus.Properties",
            "PropertiesChanged",
            [
                .string("org.bluez." + interface), .properties(properties), .strings(invalidated),
            ]
        )
    }

    mutating func added(_ path: String, _ interface: String, _ properties: BusProperties) {
        let manager = "org.freedesktop.DBus.ObjectManager"
        let interfaces = Self.interfaces([("org.bluez." + interface, properties)])
        signal("/", manager, "InterfacesAdded", [Self.path(path), interfaces])
    }

    mutating func removed(_ path: String, _ interface: String) {
        let manager = "org.freedesktop.DBus.ObjectManager"
        let arguments: [BusValue] = [Self.path(path), .strings(["org.bluez." + interface])]
        signal("/", manager, "InterfacesRemoved", arguments)
    }

    mutating func signal(
        _ path: String,
        _ interface: String,
        _ member: String,
        _ arguments: [BusValue]
    ) {
        add(
            RecordedMessage(
                .signal,
                serial: serial(),
                sender: bluez,
                path: path,
                interface: interface,
                member: member,
                arguments: arguments
            )
        )
    }

    /// Adds a new owner of `org.bluez`, or its end.
    mutating func owner(_ name: String) {
        var message = RecordedMessage.initialOwner(name)
        message.serial = serial()
        add(message)
        bluez = name
    }

    @discardableResult
    mutating func add(_ message: RecordedMessage) -> UInt32 {
        messages.append(message)
        return message.serial
    }

    mutating func addHeartRate() {
        added(Self.sensor + "/service000e", "GattService1", [("UUID", .string(Self.uuid("180d")))])
        for (path, uuid) in [(Self.measurement, "2a37"), (Self.location, "2a38")] {
            let properties: BusProperties = [("UUID", .string(Self.uuid(uuid)))]
            added(path, "GattCharacteristic1", properties)
        }
    }

    static func uuid(_ short: String) -> String { "0000\(short)-0000-1000-8000-00805f9b34fb" }

    static func path(_ text: String) -> BusValue { .objectPath(ObjectPath(text) ?? .root) }

    static func interfaces(_ interfaces: [(String, BusProperties)]) -> BusValue {
        .dictionary(
            interfaces.map { BusEntry(.string($0.0), .properties($0.1)) },
            key: "s",
            value: "a{sv}"
        )
    }

    static func objects(_ objects: [(String, [(String, BusProperties)])]) -> BusValue {
        .dictionary(
            objects.map { BusEntry(path($0.0), interfaces($0.1)) },
            key: "o",
            value: "a{sa{sv}}"
        )
    }

    private mutating func serial() -> UInt32 {
        nextSerial += 1
        return nextSerial
    }
}
