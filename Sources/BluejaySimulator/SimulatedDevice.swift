internal import BluejayDBus
internal import BluejayGLib

/// What a scripted characteristic does when it is read or written.
public enum ScriptedBehaviour: Swift.Sendable {
    /// Holds a value: reads give it, writes replace it.
    case value([UInt8])
    /// Refuses with an ATT error code (Core Specification, Vol 3, Part F, 3.4.1.1).
    case refuses(UInt8)
    /// Accepts writes of one of these values and refuses others with a code; reads are refused.
    case accepts([[UInt8]], otherwise: UInt8)
    /// Never answers; after 30 s the link breaks.
    case silent
    /// Sends these values in turn while somebody is subscribed, one each `seconds`, over and over.
    case sends([[UInt8]], everySeconds: Double)
}

/// A characteristic of a scripted device.
public struct ScriptedCharacteristic: Swift.Sendable {
    /// The UUID, 4, 8 or 36 characters.
    public var uuid: String
    /// BlueZ's words: "read", "write", "notify", "indicate", "write-without-response", "encrypt-read".
    public var flags: [String]
    /// What it does.
    public var behaviour: ScriptedBehaviour

    /// Makes a characteristic.
    public init(_ uuid: String, _ flags: [String], _ behaviour: ScriptedBehaviour) {
        self.uuid = uuid
        self.flags = flags
        self.behaviour = behaviour
    }
}

/// A device on the air that follows a script rather than a program.
///
/// ```swift
/// let lock = SimulatedDevice(address: "C4:7C:8D:6A:1F:02", name: "Lock", advertising: ["FFE0"])
/// lock.addService("FFE0", [ScriptedCharacteristic("FFE1", ["read", "write"], .value([0]))])
/// world.add(lock)
/// ```
public final class SimulatedDevice: AirPeer {
    let airAddress: AirAddress
    var database = AttributeDatabase.standard()
    weak var world: SimulatedBlueZ?
    private var content = AirAdvertisement()
    private var isPresent = true
    private var behaviours: [UInt16: ScriptedBehaviour] = [:]
    private var links: [AirLink] = []
    private var subscribers: [UInt16: [AirLink]] = [:]
    private var timers: [UInt16: ScheduledTimer] = [:]

    /// What was written to its characteristics, in order: the UUID in full, and the value.
    public private(set) var writes: [(characteristic: String, value: [UInt8])] = []

    /// Makes a device that is on and advertises.
    ///
    /// - Parameters:
    ///   - address: For example `C4:7C:8D:6A:1F:02`.
    ///   - isRandom: Whether the address is random (static) rather than public.
    ///   - name: The advertised name.
    ///   - advertising: The advertised services, 4, 8 or 36 characters each.
    ///   - rssi: The signal strength in dBm; 127 is not known.
    public init(
        address: String,
        isRandom: Bool = true,
        name: String? = nil,
        advertising: [String] = [],
        rssi: Int16 = -55
    ) {
        airAddress = AirAddress(
            text: address.uppercased(),
            type: isRandom ? "random" : "public"
        )
        content.name = name
        content.serviceUUIDs = advertising.map(fullUUID)
        content.rssi = rssi
    }

    /// Adds a service behind those it has; connected centrals hear of it.
    public func addService(_ uuid: String, _ characteristics: [ScriptedCharacteristic]) {
        var builder = AttributeBuilder(after: database)
        builder.add(
            uuid,
            characteristics: characteristics.map { .init(uuid: $0.uuid, flags: $0.flags) }
        )
        database = builder.database
        for (script, entry) in zip(
            characteristics,
            database.services.last?.characteristics ?? []
        ) {
            behaviours[entry.valueHandle] = script.behaviour
        }
        for link in links { link.databaseChanged() }
    }

    /// Removes a service; connected centrals hear of it.
    public func removeService(_ uuid: String) {
        database.services.removeAll { $0.uuid == fullUUID(uuid) }
        for link in links { link.databaseChanged() }
    }

    /// Sets the data of a company in the advertisement.
    public func setManufacturerData(_ company: UInt16, _ bytes: [UInt8]) {
        content.manufacturerData[company] = bytes
        world?.airChanged(self)
    }

    /// Sets the signal strength in dBm.
    public func setSignalStrength(_ rssi: Int16) {
        content.rssi = rssi
        world?.airChanged(self)
    }

    /// Changes what a characteristic does.
    public func setBehaviour(_ behaviour: ScriptedBehaviour, of characteristic: String) {
        for entry in entries(characteristic) { behaviours[entry.valueHandle] = behaviour }
    }

    /// Sends a value to everybody who is subscribed to a characteristic.
    public func send(_ value: [UInt8], on characteristic: String) {
        for entry in entries(characteristic) { send(value, entry.valueHandle) }
    }

    /// Falls silent and breaks its links, as if out of range or out of power.
    public func goAway() {
        isPresent = false
        drop()
    }

    /// Advertises again.
    public func comeBack() {
        isPresent = true
        world?.airChanged(self)
    }

    /// Breaks its links and goes on advertising.
    public func drop() {
        for link in links { link.drop() }
    }

    /// Whether a central is connected.
    public var isConnected: Bool { !links.isEmpty }

    private func entries(_ uuid: String) -> [AttributeDatabase.Characteristic] {
        database.services.flatMap(\.characteristics).filter { $0.uuid == fullUUID(uuid) }
    }

    func begin() {}

    // MARK: AirPeer

    var deviceName: String? { content.name }

    // A connected device stops advertising, as most do.
    var advertisement: AirAdvertisement? { isPresent && links.isEmpty ? content : nil }

    func linkOpened(_ link: AirLink) {
        links.append(link)
    }

    func linkClosed(_ link: AirLink) {
        links.removeAll { $0 === link }
        for handle in subscribers.keys { setNotifying(handle, false, link) }
        world?.soon { [weak self] in
            guard let self else { return }
            world?.airChanged(self)
        }
    }

    func read(
        _ handle: UInt16,
        offset: Int,
        _ link: AirLink,
        _ answer: @escaping (AttributeAnswer) -> Void
    ) {
        switch behaviours[handle] {
        case .value(let value):
            // A value that fits into one answer is not long: Core Specification, Vol 3, Part F,
            // 3.4.4.5.
            guard offset == 0 else { return answer(.refused(0x0B)) }
            answer(.value(value))
        case .refuses(let code): answer(.refused(code))
        case .silent: break
        case .sends: answer(.value([]))
        case .accepts: answer(.refused(0x02))
        case nil:
            let value = database.characteristic(handle)?.initialValue
            answer(value.map { .value($0) } ?? .refused(0x01))
        }
    }

    func write(
        _ handle: UInt16,
        _ value: [UInt8],
        withResponse: Bool,
        _ link: AirLink,
        _ answer: @escaping (AttributeAnswer) -> Void
    ) {
        func take() {
            writes.append((database.characteristic(handle)?.uuid ?? "", value))
            answer(.value([]))
        }
        switch behaviours[handle] {
        case .value:
            behaviours[handle] = .value(value)
            take()
        case .accepts(let values, let code):
            values.contains(value) ? take() : answer(.refused(code))
        case .refuses(let code): answer(.refused(code))
        case .silent: break
        case .sends, nil: answer(.refused(0x03))
        }
    }

    func setNotifying(_ handle: UInt16, _ isOn: Bool, _ link: AirLink) {
        var links = subscribers[handle] ?? []
        links.removeAll { $0 === link }
        if isOn { links.append(link) }
        subscribers[handle] = links
        guard !links.isEmpty else { return timers[handle] = nil }
        if timers[handle] == nil { sendNext(handle, 0) }
    }

    private func sendNext(_ handle: UInt16, _ index: Int) {
        guard case .sends(let values, let seconds)? = behaviours[handle], !values.isEmpty else {
            return
        }
        timers[handle] = world?.after(.seconds(seconds)) { [weak self] in
            self?.send(values[index % values.count], handle)
            self?.sendNext(handle, index + 1)
        }
    }

    private func send(_ value: [UInt8], _ handle: UInt16) {
        for link in subscribers[handle] ?? [] {
            link.send(handle, Array(value.prefix(Int(link.mtu) - 3)))
        }
    }
}

extension SimulatedDevice {
    /// A heart rate sensor: 180D with measurements once a second, a location (2A38) and a control point
    /// (2A39) that accepts 1 and refuses the rest with 0x80; 180A with a manufacturer.
    public static func heartRateSensor(
        address: String = "C4:7C:8D:6A:1F:02",
        name: String = "Heart Rate Sensor"
    ) -> SimulatedDevice {
        let device = SimulatedDevice(address: address, name: name, advertising: ["180D"])
        device.addService(
            "180D",
            [
                ScriptedCharacteristic(
                    "2A37",
                    ["notify"],
                    .sends((0..<60).map { [0, 60 + UInt8($0)] }, everySeconds: 1)
                ),
                ScriptedCharacteristic("2A38", ["read"], .value([1])),
                ScriptedCharacteristic("2A39", ["write"], .accepts([[1]], otherwise: 0x80)),
            ]
        )
        device.addService(
            "180A",
            [ScriptedCharacteristic("2A29", ["read"], .value(Array("Bluejay".utf8)))]
        )
        return device
    }
}
