internal import BluejayGLib
internal import OrderedCollections

/// A device on the air that follows a script rather than a program.
///
/// ```swift
/// let lock = SimulatedDevice(address: "C4:7C:8D:6A:1F:02", name: "Lock", advertising: ["FFE0"])
/// lock.addService("FFE0", [ScriptedCharacteristic("FFE1", ["read", "write"], .value([0]))])
/// world.add(lock)
/// ```
///
/// In the air it belongs to the simulator's thread. A malformed address or UUID in a script, and an
/// advertisement that does not fit 31 bytes, end the test program.
public final class SimulatedDevice: AirPeer {
    private(set) var address: AirAddress
    private(set) var identity: AirAddress?
    let name: String?
    private(set) var rssiInDBm: Int16
    private(set) var database = AttributeDatabase()
    weak var world: SimulatedBlueZ?
    private var content = AirAdvertisement()
    private var isInRange = true
    private var isAdvertising = true
    private var isMute = false
    private(set) var link: SimulatedLink?
    let channelBook = ChannelBook()
    private var scripts: OrderedDictionary<UInt16, ServedScript> = [:]
    private var fixedValues: [UInt16: [UInt8]] = [:]
    /// The handles of descriptors that may be written.
    private var writableDescriptors: Set<UInt16> = []

    /// The largest ATT packet that it agrees to, 23 to 517; a connected central hears of a change.
    public var mtu = 517 {
        didSet { if mtu != oldValue { link?.devices.first?.mtuChanged() } }
    }
    /// Whether it pairs when it is asked to.
    public var acceptsPairing = true
    /// How it pairs when it accepts to.
    public var pairing = SimulatedPairing.justWorks
    /// Whether it can be connected to; a beacon cannot.
    public var isConnectable = true {
        didSet { content.isConnectable = isConnectable }
    }
    /// How it loses its links by itself, if it does.
    var dropOut: DropOut?
    /// Whether its flags say that it is discoverable: without a filter others are not shown.
    public var isDiscoverable = true {
        didSet { content.flags = isDiscoverable ? 0x06 : nil }
    }

    /// Whether it tells its services when it is asked.
    ///
    /// While it does not, a connection is resolved without services after 30 s, and drops 2 s later.
    /// `Disconnect` before that ends the daemon, as it crashes bluetoothd 5.66 and 5.82.
    public var answersDiscovery = true {
        didSet { if answersDiscovery { link?.devices.first?.discoveryAnswered() } }
    }

    /// The last 10,000 writes to its characteristics, in order: the UUID in full, and the value.
    public var writes: [(characteristic: String, value: [UInt8])] { writeHistory.last }
    /// Which characteristics were read, the last 10,000 in order: the UUIDs in full; a long read counts
    /// once.
    public var reads: [String] { readHistory.last }
    /// The last 10,000 values that were sent to listeners, in order: the UUID in full, and the value.
    public var sent: [(characteristic: String, value: [UInt8])] { sentHistory.last }
    /// How many writes there were in all.
    public var writeCount: Int { writeHistory.count }
    /// How many reads there were in all.
    public var readCount: Int { readHistory.count }
    /// How many values were sent in all.
    public var sentCount: Int { sentHistory.count }
    private var writeHistory = History<(characteristic: String, value: [UInt8])>()
    private var readHistory = History<String>()
    private var sentHistory = History<(characteristic: String, value: [UInt8])>()

    /// Makes a device that is on and advertises.
    ///
    /// - Parameters:
    ///   - address: For example `C4:7C:8D:6A:1F:02`.
    ///   - isRandom: Whether the address is random rather than public.
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
        self.address = Self.read(address, isRandom: isRandom)
        self.name = name
        rssiInDBm = rssi
        content.flags = 0x06
        content.name = name
        content.serviceUUIDs = advertising.map(Self.long)
        checkLength()
        addOwnServices()
    }

    // MARK: The script

    /// Adds a service; a connected central hears of it.
    ///
    /// - Parameters:
    ///   - uuid: Of the service.
    ///   - characteristics: In the order of their handles.
    ///   - handle: Of the service, for example that of one that was removed; nil is behind all that
    ///     ever were. Handles in use end the test program.
    ///   - isPrimary: Whether it stands for itself, rather than for others to include.
    ///   - included: The UUIDs of services that it includes: those that are there already.
    public func addService(
        _ uuid: String,
        _ characteristics: [ScriptedCharacteristic],
        at handle: UInt16? = nil,
        isPrimary: Bool = true,
        including included: [String] = []
    ) {
        let description = ServiceDescription(
            uuid: Self.long(uuid),
            isPrimary: isPrimary,
            includes: included.flatMap { uuid in
                database.services.filter { $0.uuid == Self.long(uuid) }.map(\.handle)
            },
            characteristics: characteristics.map(Self.describe)
        )
        guard let added = database.add(description, at: handle) else {
            // As below: only a script can ask for so many, or for those in use.
            preconditionFailure("a device has 65535 handles, each for one attribute")
        }
        for (attribute, script) in zip(added.characteristics, characteristics) {
            scripts[attribute.valueHandle] = ServedScript(attribute, script.behaviour, of: self)
            let own = attribute.descriptors.suffix(script.descriptors.count)
            for (descriptor, content) in zip(own, script.descriptors) {
                fixedValues[descriptor.handle] = content.value
                if script.canWrite(descriptor) { writableDescriptors.insert(descriptor.handle) }
            }
        }
        tellServices()
    }

    /// Removes the services of a UUID; a connected central hears of it.
    public func removeService(_ uuid: String) {
        for service in database.services where service.uuid == Self.long(uuid) {
            database.remove(service.handle)
            for one in service.characteristics { scripts.removeValue(forKey: one.valueHandle) }
        }
        tellServices()
    }

    /// The handle of the first service with a UUID; nil when there is none.
    public func handle(ofService uuid: String) -> UInt16? {
        database.services.first { $0.uuid == Self.long(uuid) }?.handle
    }

    /// Registers its services anew under the handles that they have, as a peer does after an update.
    ///
    /// Nobody listens any more, and values begin anew. A connected central hears of it (Service
    /// Changed): bluetoothd takes the objects away with who listened, and shows new ones a moment later
    /// at the same paths.
    public func registerServicesAgain() {
        let own = [BuiltInServices.access, BuiltInServices.attribute]
        for service in database.services where !own.contains(service.uuid) {
            database.renew(service.handle)
            for one in service.characteristics {
                guard let script = scripts[one.valueHandle] else { continue }
                scripts[one.valueHandle] = ServedScript(one, script.behaviour, of: self)
            }
        }
        tellServices()
    }

    /// Sets the data of a company in the advertisement; nil sends none of it any more.
    public func setManufacturerData(_ company: UInt16, _ bytes: [UInt8]?) {
        content.manufacturerData[company] = bytes
        checkLength()
        world?.air.changed(self)
    }

    /// Sets the data of a service in the advertisement; nil sends none of it any more.
    public func setServiceData(_ service: String, _ bytes: [UInt8]?) {
        content.serviceData[Self.long(service)] = bytes
        checkLength()
        world?.air.changed(self)
    }

    /// Sets what it says it looks like, a number of Bluetooth's Assigned Numbers; nil says nothing.
    public func setAppearance(_ appearance: UInt16?) {
        content.appearance = appearance
        world?.air.changed(self)
    }

    /// Sets the signal strength in dBm.
    public func setSignalStrength(_ rssi: Int16) {
        rssiInDBm = rssi
        world?.air.changed(self)
    }

    /// Gives it an identity behind its private address: who pairs with it knows it by that.
    ///
    /// As bluetoothd does, the adapter's object keeps its path and has the identity in `Address` and
    /// `AddressType` from the pairing on; after a start of the daemon the path is the identity's too.
    public func setIdentity(_ address: String, isRandom: Bool = false) {
        identity = Self.read(address, isRandom: isRandom)
    }

    /// Takes another private address, as such devices do every quarter of an hour.
    ///
    /// Who paired with it tells it by its identity as before; for all others it is another device.
    public func changeAddress(to address: String) {
        let old = self.address
        self.address = Self.read(address, isRandom: true)
        world?.moved(self, from: old)
    }

    // MARK: Coming and going

    /// Whether a central is connected.
    public var isConnected: Bool { link != nil }

    /// Falls silent and loses its link, as if out of range or out of power.
    public func goAway() {
        isInRange = false
        link?.close(reason: .timedOut)
    }

    /// Is there again, answers and advertises.
    public func comeBack() {
        isInRange = true
        isMute = false
        world?.air.changed(self)
    }

    /// Ends its link and goes on advertising.
    public func drop() {
        link?.close(reason: .byRemoteHost)
    }

    /// Answers nothing any more while its link stays up.
    public func fallSilent() {
        isMute = true
    }

    /// Begins or ends advertising; a link stays as it is.
    public func setAdvertising(_ advertises: Bool) {
        isAdvertising = advertises
        world?.air.changed(self)
    }

    // MARK: AirPeer

    // A connected device stops advertising, as most do.
    var advertisements: [AirAdvertisement] {
        isInRange && isAdvertising && link == nil ? [content] : []
    }

    var acceptsLinks: Bool { !advertisements.isEmpty && isConnectable }

    func linkOpened(_ link: SimulatedLink) {
        self.link = link
        dropOut?.begin(self) { [weak self, weak link] in self?.link === link && link != nil }
    }

    func linkClosed(_ link: SimulatedLink) {
        guard self.link === link else { return }
        self.link = nil
        world?.air.changed(self)
    }

    func perform(
        _ request: ATTRequest,
        from client: ATTClient,
        answer: @escaping (ATTResult) -> Void
    ) {
        guard !isMute else { return }
        switch request {
        case .read(let handle, let offset):
            guard let script = scripts[handle] else {
                return answer(readFixed(handle, offset, client))
            }
            script.whenReleased(.read, client, answer) {
                script.read(offset, from: client, answer: answer)
            }
        case .write(let handle, let value, let offset):
            guard let script = scripts[handle] else {
                return answer(writeFixed(handle, value, offset))
            }
            script.whenReleased(.write, client, answer) {
                script.write(value, offset, from: client, answer: answer)
            }
        case .command(let handle, let value): scripts[handle]?.command(value)
        case .configure(let handle, let configuration):
            guard let script = scripts[handle] else { return answer(.success([])) }
            script.whenReleased(.subscription, client, answer) {
                script.configure(configuration, for: client, answer: answer)
            }
        case .prepare, .execute: answer(.failure(.requestNotSupported))
        }
    }

    func clientLeft(_ client: ATTClient) {
        for script in scripts.values { script.clientLeft(client) }
    }

    func record(_ characteristic: String, _ value: [UInt8]) {
        writeHistory.append((characteristic, value))
    }

    func recordRead(_ characteristic: String) {
        readHistory.append(characteristic)
    }

    func recordSent(_ characteristic: String, _ value: [UInt8]) {
        sentHistory.append((characteristic, value))
    }
}

extension SimulatedDevice {
    func scripts(_ uuid: String) -> [ServedScript] {
        scripts.values.filter { $0.attribute.uuid == Self.long(uuid) }
    }

    private func writeFixed(_ handle: UInt16, _ value: [UInt8], _ offset: Int) -> ATTResult {
        guard writableDescriptors.contains(handle), let old = fixedValues[handle] else {
            return .failure(.writeNotPermitted)
        }
        guard offset <= old.count else { return .failure(.invalidOffset) }
        fixedValues[handle] = old.prefix(offset) + value
        return .success([])
    }

    private func readFixed(_ handle: UInt16, _ offset: Int, _ client: ATTClient) -> ATTResult {
        for script in scripts.values {
            if let value = script.configuration(at: handle, of: client) { return .success(value) }
        }
        let isDescriptor = database.services.contains { service in
            service.characteristics.contains { $0.descriptors.contains { $0.handle == handle } }
        }
        guard let value = fixedValues[handle] ?? (isDescriptor ? [0, 0] : nil) else {
            return .failure(.invalidHandle)
        }
        return ServedScript.part(of: value, offset, mtu: client.mtu)
    }

    private func addOwnServices() {
        let own = [
            BuiltInServices.access(Array((name ?? "").utf8), appearance: 0),
            BuiltInServices.attribute(seed: address.text),
        ]
        for service in own {
            guard let added = database.add(service.description) else { continue }
            for (one, value) in zip(added.characteristics, service.values) {
                fixedValues[one.valueHandle] = value
            }
        }
    }

    private func tellServices() {
        world?.later(Waits.serviceChange) { [weak self] in
            self?.link?.devices.first?.servicesChanged()
        }
    }

    private func checkLength() {
        let length = content.lengthInBytes
        precondition(
            length <= AirAdvertisement.maximumLengthInBytes,
            "the advertisement of \(address.text) has \(length) bytes; 31 are possible"
        )
    }

    private static func describe(
        _ script: ScriptedCharacteristic
    ) -> CharacteristicDescription {
        for flag in script.flags {
            precondition(CharacteristicFlags.known.contains(flag), "BlueZ has no flag \(flag)")
        }
        return CharacteristicDescription(
            uuid: long(script.uuid),
            flags: script.flags,
            descriptors: script.descriptors.map { DescriptorDescription(uuid: long($0.uuid)) }
        )
    }

    private static func read(_ address: String, isRandom: Bool) -> AirAddress {
        // A test's own script is wrong: no peer and no program under test can cause it.
        guard let read = AirAddress(address, isRandom ? .random : .public) else {
            preconditionFailure("\(address) is not an address; write C4:7C:8D:6A:1F:02")
        }
        return read
    }

    private static func long(_ uuid: String) -> String {
        // As above: the text is of a script.
        guard let long = UUIDText.long(uuid) else {
            preconditionFailure("\(uuid) is not a UUID; write 4, 8 or 36 characters")
        }
        return long
    }
}
