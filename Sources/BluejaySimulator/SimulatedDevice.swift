internal import BluejayGLib
internal import OrderedCollections

/// A scripted device in the virtual air; it belongs to the simulator's thread.
public final class SimulatedDevice: AirPeer {
    /// What was written to a characteristic, in the order in which it came.
    public struct Write: Equatable, Swift.Sendable {
        /// The characteristic, 36 characters.
        public let characteristic: String
        /// The value.
        public let value: [UInt8]
    }

    let address: DeviceAddress
    let rssiInDBm: Int16
    let mtu: Int
    let acceptsPairing: Bool
    private(set) var database: AttributeDatabase
    private unowned let world: SimulatedBlueZ
    private let name: String?
    private let acceptsConnections: Bool
    private var advertisement: Advertisement
    private var isInRange = true
    private var isAdvertising = true
    private var isMute = false
    private var link: Link?
    private var characteristics: OrderedDictionary<UInt16, ScriptedCharacteristic> = [:]
    private var fixedValues: [UInt16: [UInt8]] = [:]

    /// Everything that was written.
    public private(set) var writes: [Write] = []
    /// What was sent to listeners, in order.
    public private(set) var notifications: [Write] = []

    init(_ builder: DeviceBuilder, in world: SimulatedBlueZ) throws {
        guard let address = DeviceAddress(builder.address, builder.addressType) else {
            throw InvalidDevice(description: "\(builder.address) is not an address")
        }
        self.address = address
        self.world = world
        name = builder.name
        rssiInDBm = builder.rssiInDBm
        mtu = builder.mtu
        acceptsPairing = builder.acceptsPairing
        acceptsConnections = builder.isConnectable
        advertisement = try ScriptedContent.advertisement(builder)
        database = AttributeDatabase()
        let own = [
            BuiltInServices.access(
                Array((builder.name ?? "").utf8),
                appearance: builder.appearance ?? 0
            ),
            BuiltInServices.attribute(seed: address.text),
        ]
        for service in own {
            guard let added = database.add(service.description) else { continue }
            for (one, value) in zip(added.characteristics, service.values) {
                fixedValues[one.valueHandle] = value
            }
        }
        for service in builder.services { try append(service) }
    }

    private func append(_ service: SimulatedService) throws {
        let description = try ScriptedContent.description(service)
        guard let added = database.add(description) else {
            throw InvalidDevice(description: "there are more than 65535 attributes")
        }
        for (attribute, script) in zip(added.characteristics, service.characteristics) {
            characteristics[attribute.valueHandle] = ScriptedCharacteristic(
                attribute,
                script,
                clock: world.clock
            ) { [weak self] value in
                self?.notifications.append(Write(characteristic: attribute.uuid, value: value))
            }
            let own = attribute.descriptors.suffix(script.descriptors.count)
            for (descriptor, content) in zip(own, script.descriptors) {
                fixedValues[descriptor.handle] = content.value
            }
        }
    }

    // MARK: What a test does with it

    /// Whether somebody is connected.
    public var isConnected: Bool { link != nil }

    /// The device leaves the range: no more advertisements, and its link is lost.
    public func goAway() {
        isInRange = false
        link?.close(reason: .timedOut)
    }

    /// The device is in range again and advertises.
    public func comeBack() {
        isInRange = true
        isMute = false
        world.air.changed(self)
    }

    /// The device ends its link and advertises again.
    public func drop() {
        link?.close(reason: .byRemoteHost)
    }

    /// The device answers nothing any more while its link stays up.
    public func fallSilent() {
        isMute = true
    }

    /// Whether it advertises; a link stays as it is.
    public func advertise(_ advertises: Bool) {
        isAdvertising = advertises
        world.air.changed(self)
    }

    /// Advertises other data of a company.
    public func advertise(manufacturer company: UInt16, _ data: [UInt8]) {
        advertisement.manufacturerData = [company: data]
        world.air.changed(self)
    }

    /// The value of a characteristic; nil when it has none of this UUID.
    public func value(of characteristic: String) -> [UInt8]? {
        find(characteristic)?.value
    }

    /// Changes a value without telling anybody.
    public func setValue(_ value: [UInt8], of characteristic: String) {
        find(characteristic)?.value = value
    }

    /// Sends a value to whoever listens; false when nobody does.
    @discardableResult
    public func notify(_ characteristic: String, _ value: [UInt8]) -> Bool {
        find(characteristic)?.notify(value) ?? false
    }

    /// How many listen to a characteristic.
    public func listenerCount(of characteristic: String) -> Int {
        find(characteristic)?.listenerCount ?? 0
    }

    /// Adds a service, also while somebody is connected.
    ///
    /// - Throws: `InvalidDevice` when a UUID is malformed.
    public func add(_ service: SimulatedService) throws {
        try append(service)
        tellServices()
    }

    /// Takes the services of a UUID away, also while somebody is connected.
    public func removeServices(_ uuid: String) {
        let long = UUIDText.long(uuid)
        for service in database.services where service.uuid == long {
            database.remove(service.handle)
            for one in service.characteristics {
                characteristics.removeValue(forKey: one.valueHandle)
            }
        }
        tellServices()
    }

    private func tellServices() {
        world.later(Waits.serviceChange) { [weak self] in
            self?.link?.devices.first?.servicesChanged()
        }
    }

    private func find(_ uuid: String) -> ScriptedCharacteristic? {
        let long = UUIDText.long(uuid)
        return characteristics.values.first { $0.attribute.uuid == long }
    }

    // MARK: In the air

    var advertisements: [Advertisement] {
        // A device of one link does not advertise while it has it.
        isInRange && isAdvertising && link == nil ? [advertisement] : []
    }

    var acceptsLinks: Bool { !advertisements.isEmpty && acceptsConnections }
    var bearerCount: Int { 1 }
    var deviceName: String? { name }
    var modalias: String? { nil }

    func linkOpened(_ link: Link) {
        self.link = link
    }

    func linkClosed(_ link: Link) {
        self.link = nil
        world.air.changed(self)
    }

    func perform(
        _ request: ATTRequest,
        from client: ATTClient,
        answer: @escaping (ATTResult) -> Void
    ) {
        guard !isMute else { return }
        switch request {
        case .read(let handle, let offset):
            if let characteristic = characteristics[handle] {
                characteristic.read(offset, from: client, answer: answer)
            } else {
                answer(readFixed(handle, offset, client))
            }
        case .write(let handle, let value, let offset):
            guard let characteristic = characteristics[handle] else {
                return answer(.failure(.writeNotPermitted))
            }
            characteristic.write(value, offset, from: client) { [weak self] result in
                if case .success = result { self?.record(handle, value) }
                answer(result)
            }
        case .command(let handle, let value):
            if characteristics[handle]?.command(value) ?? false { record(handle, value) }
        case .configure(let handle, let configuration):
            guard let characteristic = characteristics[handle] else { return answer(.success([])) }
            characteristic.configure(configuration, for: client, answer: answer)
        }
    }

    private func record(_ handle: UInt16, _ value: [UInt8]) {
        guard let attribute = characteristics[handle]?.attribute else { return }
        writes.append(Write(characteristic: attribute.uuid, value: value))
    }

    private func readFixed(_ handle: UInt16, _ offset: Int, _ client: ATTClient) -> ATTResult {
        for characteristic in characteristics.values {
            if let value = characteristic.configuration(at: handle, of: client) {
                return .success(value)
            }
        }
        let isDescriptor = database.services.contains { service in
            service.characteristics.contains { $0.descriptors.contains { $0.handle == handle } }
        }
        guard let value = fixedValues[handle] ?? (isDescriptor ? [0, 0] : nil) else {
            return .failure(.invalidHandle)
        }
        return ScriptedContent.part(of: value, offset, mtu: client.mtu)
    }

    func clientLeft(_ client: ATTClient) {
        for characteristic in characteristics.values { characteristic.clientLeft(client) }
    }
}
