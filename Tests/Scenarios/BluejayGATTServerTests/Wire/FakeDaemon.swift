import BluejayDBus
import BluejayGLib

/// The part of bluetoothd that a GATT server uses, with up to two adapters, on its own connection.
///
/// Belongs to its context.
final class FakeDaemon {
    static let adapter: ObjectPath = "/org/bluez/hci0"
    static let secondAdapter: ObjectPath = "/org/bluez/hci1"
    static let central: ObjectPath = "/org/bluez/hci0/dev_C4_7C_8D_6A_1F_02"
    static let secondCentral: ObjectPath = "/org/bluez/hci0/dev_C4_7C_8D_6A_1F_03"

    struct Registration {
        let sender: String
        let content: BusValue
        let adapter: ObjectPath
    }

    /// The error that answers the next registration.
    var refusal: BusError?
    /// Leaves registrations unanswered.
    var isSilent = false
    private(set) var applications: [ObjectPath: Registration] = [:]
    private(set) var advertisements: [ObjectPath: Registration] = [:]

    private let connection: BusConnection
    private let objects: ObjectServer
    private let note: (String) -> Void
    private var powered: Set<ObjectPath> = [adapter, secondAdapter]
    private var silenced: [() -> Void] = []
    /// The registrations whose objects are being read.
    private var pendingPaths: Set<ObjectPath> = []
    var isReading: Bool { !pendingPaths.isEmpty }

    init(
        _ address: BusAddress,
        on context: MainContext,
        hasAdapter: Bool = true,
        note: @escaping (String) -> Void
    ) throws {
        connection = try BusConnection(address, on: context)
        objects = ObjectServer(connection)
        self.note = note
        objects.exportManager(at: .root)
        if hasAdapter { exportAdapter(Self.adapter) }
        connection.subscribe(
            MatchRule(interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged")
        ) { [weak self] in self?.receive($0) }
        connection.requestName("org.bluez") { error in note(error.map { "\($0)" } ?? "daemon up") }
    }

    func close() {
        connection.close()
    }

    // MARK: The adapter

    func setPowered(_ isPowered: Bool, _ adapter: ObjectPath = adapter) {
        if isPowered { powered.insert(adapter) } else { powered.remove(adapter) }
        objects.emitPropertiesChanged(
            adapter,
            "org.bluez.Adapter1",
            [("Powered", .boolean(isPowered))]
        )
    }

    func removeAdapter(_ adapter: ObjectPath = adapter) {
        applications = applications.filter { $0.value.adapter != adapter }
        advertisements = advertisements.filter { $0.value.adapter != adapter }
        pendingPaths = []
        let names = objects.interfaces(at: adapter).map(\.name)
        objects.unexport(adapter)
        objects.emitInterfacesRemoved(adapter, interfaces: names, manager: .root)
    }

    func addAdapter(_ adapter: ObjectPath = adapter) {
        exportAdapter(adapter)
        objects.emitInterfacesAdded(adapter, manager: .root)
    }

    struct Device {
        var path = FakeDaemon.central
        var address = "C4:7C:8D:6A:1F:02"
        var kind = "random"
        var name = "phone"

        static let tablet = Device(
            path: FakeDaemon.secondCentral,
            address: "C4:7C:8D:6A:1F:03",
            name: "tablet"
        )
    }

    func setConnected(_ isConnected: Bool, _ device: Device = Device()) {
        if objects.interfaces(at: device.path).isEmpty {
            let properties: [(String, BusValue)] = [
                ("Address", .string(device.address)), ("AddressType", .string(device.kind)),
                ("Alias", .string(device.name)), ("Connected", .boolean(isConnected)),
            ]
            let interface = BusInterface(
                "org.bluez.Device1",
                properties: properties.map { property in
                    BusProperty(property.0, property.1.signature, get: { property.1 })
                }
            )
            objects.export([interface], at: device.path)
            objects.emitInterfacesAdded(device.path, manager: .root)
        } else {
            change(device.path, [("Connected", .boolean(isConnected))])
        }
    }

    /// Changes the address, as pairing does; the object stays.
    func setAddress(_ address: String, _ kind: String, of device: ObjectPath = central) {
        change(device, [("Address", .string(address)), ("AddressType", .string(kind))])
    }

    private func change(_ device: ObjectPath, _ properties: BusProperties) {
        objects.emitPropertiesChanged(device, "org.bluez.Device1", properties)
    }

    func removeDevice(_ device: ObjectPath) {
        let names = objects.interfaces(at: device).map(\.name)
        objects.unexport(device)
        objects.emitInterfacesRemoved(device, interfaces: names, manager: .root)
    }

    func setModalias(_ text: String) {
        objects.emitPropertiesChanged(
            Self.adapter,
            "org.bluez.Adapter1",
            [("Modalias", .string(text))]
        )
    }

    func renameCentral(_ name: String) {
        change(Self.central, [("Alias", .string(name))])
    }

    private func exportAdapter(_ path: ObjectPath) {
        let number = path.name.suffix(1)
        let adapter = BusInterface(
            "org.bluez.Adapter1",
            properties: [
                BusProperty("Address", "s", get: { .string("00:AA:01:00:00:0\(number)") }),
                BusProperty(
                    "Powered",
                    "b",
                    get: { [weak self] in self.map { .boolean($0.powered.contains(path)) } }
                ),
            ]
        )
        let gatt = BusInterface(
            "org.bluez.GattManager1",
            methods: [
                BusMethod("RegisterApplication", inputSignature: "oa{sv}") { [weak self] call in
                    self?.register(call, path, "GetManagedObjects", []) { $0.applications[$1] = $2 }
                },
                BusMethod("UnregisterApplication", inputSignature: "o") { [weak self] call in
                    self?.unregister(call, path, \.applications)
                },
            ]
        )
        let advertising = BusInterface(
            "org.bluez.LEAdvertisingManager1",
            methods: [
                BusMethod("RegisterAdvertisement", inputSignature: "oa{sv}") { [weak self] call in
                    let interface: BusValue = .string("org.bluez.LEAdvertisement1")
                    self?.register(call, path, "GetAll", [interface]) { $0.advertisements[$1] = $2 }
                },
                BusMethod("UnregisterAdvertisement", inputSignature: "o") { [weak self] call in
                    self?.unregister(call, path, \.advertisements)
                },
            ]
        )
        objects.export([adapter, gatt, advertising], at: path)
    }

    // MARK: Registrations

    // Like bluetoothd, it reads the objects before it answers.
    private func register(
        _ call: MethodInvocation,
        _ adapter: ObjectPath,
        _ member: String,
        _ arguments: [BusValue],
        keep: @escaping (FakeDaemon, ObjectPath, Registration) -> Void
    ) {
        guard let path = call.arguments[0].path else { return }
        if let refusal {
            self.refusal = nil
            return call.fail(refusal)
        }
        if isSilent {
            silenced.append { [weak self] in
                self?.register(call, adapter, member, arguments, keep: keep)
            }
            return note("silent")
        }
        guard applications[path] == nil, advertisements[path] == nil,
            pendingPaths.insert(path).inserted
        else { return call.fail("org.bluez.Error.AlreadyExists", "Already Exists") }
        let interface =
            member == "GetAll"
            ? "org.freedesktop.DBus.Properties" : "org.freedesktop.DBus.ObjectManager"
        let read = MethodCall(to: call.sender, at: path, interface, member, arguments)
        connection.call(read, timeout: .seconds(10)) { [weak self] result in
            guard let self else { return }
            guard pendingPaths.remove(path) != nil else {
                return call.fail("org.bluez.Error.Failed", "withdrawn")
            }
            switch result {
            case .success(let values):
                let content = values.first ?? .strings([])
                let registration = Registration(
                    sender: call.sender,
                    content: content,
                    adapter: adapter
                )
                keep(self, path, registration)
                call.reply()
                note("registered \(path.name.filter { !$0.isNumber })")
            case .failure(let error): call.fail(error)
            }
        }
    }

    private func unregister(
        _ call: MethodInvocation,
        _ adapter: ObjectPath,
        _ registrations: ReferenceWritableKeyPath<FakeDaemon, [ObjectPath: Registration]>
    ) {
        guard let path = call.arguments[0].path,
            pendingPaths.remove(path) != nil
                || self[keyPath: registrations][path]?.adapter == adapter
        else { return call.fail("org.bluez.Error.DoesNotExist", "Does Not Exist") }
        self[keyPath: registrations][path] = nil
        call.reply()
        note("unregistered \(path.name.filter { !$0.isNumber })")
    }

    private func receive(_ message: BusMessage) {
        guard let values = try? message.arguments(), let changed = values[1].namedValues,
            let bytes = changed["Value"]?.bytes
        else { return }
        note("value \(bytes)")
    }

    /// Answers the registrations left unanswered.
    func answerSilenced() {
        isSilent = false
        let calls = silenced
        silenced = []
        for call in calls { call() }
    }

    // MARK: A central

    /// The path of an attribute of the first application, such as `service0/char0`.
    func attribute(_ end: String) -> ObjectPath? {
        applications.keys.min().flatMap { ObjectPath("\($0)/\(end)") }
    }

    /// Calls a method of an attribute as bluetoothd does for a central.
    func call(
        _ end: String,
        _ member: String,
        _ arguments: [BusValue] = [],
        reply: @escaping (CallResult) -> Void
    ) {
        guard let path = attribute(end), let sender = applications.values.first?.sender else {
            return reply(.failure(.invalidArguments("no such attribute")))
        }
        let interface =
            "org.bluez.Gatt" + (end.contains("desc") ? "Descriptor1" : "Characteristic1")
        connection.call(
            MethodCall(to: sender, at: path, interface, member, arguments),
            timeout: .seconds(10),
            reply: reply
        )
    }

    /// Releases the only advertisement.
    func release() {
        guard let (path, registration) = advertisements.first else { return }
        advertisements = [:]
        let call = MethodCall(
            to: registration.sender,
            at: path,
            "org.bluez.LEAdvertisement1",
            "Release"
        )
        connection.call(call, timeout: .seconds(10)) { [note] _ in note("released") }
    }
}
