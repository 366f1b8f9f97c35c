internal import BluejayGLib

/// A scripted device on the air, in place of a real peripheral.
///
/// ```swift
/// let lock = SimulatedDevice(
///     address: "C4:7C:8D:6A:1F:02",
///     name: "Lock",
///     advertising: ["FFE0"]
/// )
/// lock.addService(
///     "FFE0",
///     [ScriptedCharacteristic("FFE1", ["read", "write"], .value([0]))]
/// )
/// world.add(lock)
/// ```
///
/// After it was added to a world, it belongs to the simulator's thread. A malformed address or UUID in a
/// script ends the test program, and so does an advertisement that exceeds 31 bytes.
public final class SimulatedDevice: RadioPeer {
    private(set) var address: RadioAddress
    private(set) var identity: RadioAddress?
    let name: String?
    private(set) weak var world: SimulatedWorld?
    private var onAddressChange: ((_ device: SimulatedDevice, _ old: RadioAddress) -> Void)?
    private(set) var link: SimulatedLink?
    private var presence: DevicePresence
    private let script = DeviceScript()
    let history = TrafficHistory()
    let deviceChannels = DeviceChannels()
    /// The periodic loss of its links, if any.
    private var periodicDisconnect: PeriodicDisconnect?

    /// The largest ATT packet it agrees to, 23 to 517 bytes; a connected central is notified of a change.
    public var mtu = 517 {
        didSet { if mtu != oldValue { link?.devices.first?.onLinkEvent(.mtuChanged) } }
    }
    /// Whether it accepts pairing.
    public var acceptsPairing = true
    /// Its behaviour during pairing.
    public var pairing = SimulatedPairing.justWorks
    /// Whether it accepts connections; a beacon does not.
    public var isConnectable: Bool {
        get { presence.isConnectable }
        set { presence.isConnectable = newValue }
    }
    /// Whether its flags include discoverable; discovery without a filter requires it.
    public var isDiscoverable: Bool {
        get { presence.isDiscoverable }
        set { presence.isDiscoverable = newValue }
    }

    /// Whether it answers service discovery.
    ///
    /// While false, a connection is resolved without services after 30 s, and drops 2 s later. `Disconnect`
    /// before that ends the daemon if ``SimulatorOptions/kernel`` is 6.1.192.
    public var answersDiscovery = true {
        didSet { if answersDiscovery { link?.devices.first?.onLinkEvent(.discoveryAnswered) } }
    }

    /// The last 10,000 writes to its characteristics, in order, with full UUIDs.
    public var writes: [(characteristic: String, value: [UInt8])] { history.writes.last }
    /// The full UUIDs of the last 10,000 characteristics read, in order; a long read counts once.
    public var reads: [String] { history.reads.last }
    /// The last 10,000 values sent to subscribers, in order, with full UUIDs.
    public var sent: [(characteristic: String, value: [UInt8])] { history.sent.last }
    /// The total number of writes.
    public var writeCount: Int { history.writes.count }
    /// The total number of reads.
    public var readCount: Int { history.reads.count }
    /// The total number of values sent.
    public var sentCount: Int { history.sent.count }

    /// Discards the reads, writes and values so far, for long runs whose memory is compared.
    package func forgetTraffic() { history.removeAll() }

    /// Creates a device that is on and advertises.
    ///
    /// - Parameters:
    ///   - address: For example `C4:7C:8D:6A:1F:02`.
    ///   - isRandom: Whether the address is random rather than public.
    ///   - name: The advertised name.
    ///   - advertising: The advertised services, 4, 8 or 36 characters each.
    ///   - rssi: The signal strength in dBm; 127 means unknown.
    public init(
        address: String,
        isRandom: Bool = true,
        name: String? = nil,
        advertising: [String] = [],
        rssi: Int16 = -55
    ) {
        self.address = Self.read(address, isRandom: isRandom)
        self.name = name
        presence = DevicePresence(name: name, advertising: advertising, rssi: rssi)
        checkLength()
        script.addOwnServices(name: name ?? "", seed: self.address.text)
    }

    func loseLinks(_ dropOut: PeriodicDisconnect?) {
        self.periodicDisconnect = dropOut
    }

    func join(
        _ world: SimulatedWorld,
        onAddressChange: @escaping (_ device: SimulatedDevice, _ old: RadioAddress) -> Void
    ) {
        self.world = world
        self.onAddressChange = onAddressChange
    }

    // MARK: The script

    /// Adds a service; a connected central is notified.
    ///
    /// - Parameters:
    ///   - uuid: The UUID of the service.
    ///   - characteristics: The characteristics, in the order of their handles.
    ///   - handle: The handle of the service, for example that of a removed service; `nil` assigns handles
    ///     after all handles ever used. Handles in use end the test program.
    ///   - isPrimary: Whether the service is primary rather than meant for inclusion by others.
    ///   - included: The UUIDs of the included services, which must already exist.
    public func addService(
        _ uuid: String,
        _ characteristics: [ScriptedCharacteristic],
        at handle: UInt16? = nil,
        isPrimary: Bool = true,
        including included: [String] = []
    ) {
        script.add(
            uuid,
            characteristics,
            at: handle,
            isPrimary: isPrimary,
            including: included,
            to: self
        )
        notifyServicesChanged()
    }

    /// Removes all services with a UUID; a connected central is notified.
    public func removeService(_ uuid: String) {
        script.remove(uuid)
        notifyServicesChanged()
    }

    /// Returns the handle of the first service with a UUID, or `nil`.
    public func handle(ofService uuid: String) -> UInt16? {
        database.services.first { $0.uuid == UUIDText.scripted(uuid) }?.handle
    }

    /// Registers the services again under the same handles, as a peer does after an update.
    ///
    /// All subscriptions end, and values are reset. A connected central is notified (Service Changed):
    /// bluetoothd removes the objects with their subscriptions, and shortly afterwards exports new objects at
    /// the same paths.
    public func registerServicesAgain() {
        script.renew(of: self)
        notifyServicesChanged()
    }

    /// Sets the manufacturer data of a company in the advertisement; `nil` removes it.
    public func setManufacturerData(_ company: UInt16, _ bytes: [UInt8]?) {
        presence.setManufacturerData(company, bytes)
        checkLength()
        world?.medium.changed(self)
    }

    /// Sets the data of a service in the advertisement; `nil` removes it.
    public func setServiceData(_ service: String, _ bytes: [UInt8]?) {
        presence.setServiceData(service, bytes)
        checkLength()
        world?.medium.changed(self)
    }

    /// Sets a field of the advertisement that bluetoothd does not interpret; `nil` removes it.
    ///
    /// - Parameters:
    ///   - type: The AD type, such as 0x14 for the services the device searches for.
    ///   - bytes: The bytes after the type.
    public func setAdvertisingData(_ type: UInt8, _ bytes: [UInt8]?) {
        presence.setData(type, bytes)
        checkLength()
        world?.medium.changed(self)
    }

    /// Sets the appearance, a value of Bluetooth's Assigned Numbers; `nil` removes it.
    public func setAppearance(_ appearance: UInt16?) {
        presence.setAppearance(appearance)
        world?.medium.changed(self)
    }

    /// Sets the signal strength in dBm.
    public func setSignalStrength(_ rssi: Int16) {
        presence.setSignalStrength(rssi)
        world?.medium.changed(self)
    }

    /// Sets the identity of a private address: a paired central uses it as the address.
    ///
    /// As in bluetoothd, the adapter's object keeps its path and has the identity in `Address` and
    /// `AddressType` after the pairing; after a restart of the daemon the path also contains the identity.
    public func setIdentity(_ address: String, isRandom: Bool = false) {
        identity = Self.read(address, isRandom: isRandom)
    }

    /// Changes the private address, as real devices do every 15 minutes.
    ///
    /// A paired central still recognizes the device by its identity; for all others it is another device.
    public func changeAddress(to address: String) {
        let old = self.address
        self.address = Self.read(address, isRandom: true)
        onAddressChange?(self, old)
    }

    // MARK: Values

    /// Changes the behaviour of a characteristic.
    ///
    /// - Parameters:
    ///   - behavior: The new behaviour.
    ///   - characteristic: The UUID.
    ///   - instance: The index, from 0, among characteristics with this UUID; `nil` changes all.
    public func setBehavior(
        _ behavior: ScriptedBehavior,
        of characteristic: String,
        instance: Int? = nil
    ) {
        for server in script.scripts(characteristic, instance) { server.behavior = behavior }
    }

    /// Sends a value to all subscribers of a characteristic.
    ///
    /// - Parameters:
    ///   - value: The value to send.
    ///   - characteristic: The UUID.
    ///   - instance: The index, from 0, among characteristics with this UUID; `nil` uses all.
    public func send(_ value: [UInt8], on characteristic: String, instance: Int? = nil) {
        for server in script.scripts(characteristic, instance) { server.send(value) }
    }

    /// Returns the number of subscribers of a characteristic.
    ///
    /// - Parameters:
    ///   - characteristic: The UUID.
    ///   - instance: The index, from 0, among characteristics with this UUID; `nil` counts all.
    /// - Returns: The sum over these characteristics.
    public func listenerCount(of characteristic: String, instance: Int? = nil) -> Int {
        script.scripts(characteristic, instance).reduce(0) { $0 + $1.subscriberCount }
    }

    /// Leaves requests to a characteristic unanswered until ``release(_:of:refusingWith:)``.
    ///
    /// The callers on the bus wait as long. After 30 simulated seconds, bluetoothd times out as with
    /// ``ScriptedBehavior/neverReplies``, and the link breaks.
    public func hold(_ request: PeerRequest, of characteristic: String) {
        for server in script.scripts(characteristic) { server.hold(request) }
    }

    /// Returns the number of unanswered requests to a characteristic.
    public func heldCount(_ request: PeerRequest, of characteristic: String) -> Int {
        script.scripts(characteristic).reduce(0) { $0 + $1.heldCount(request) }
    }

    /// Answers the held requests, and all later ones immediately.
    ///
    /// - Parameters:
    ///   - request: The kind of request.
    ///   - characteristic: The UUID.
    ///   - code: An error code of the Attribute Protocol for the held requests; `nil` answers them by the
    ///     script.
    public func release(
        _ request: PeerRequest,
        of characteristic: String,
        refusingWith code: UInt8? = nil
    ) {
        for server in script.scripts(characteristic) {
            server.release(request, rejectingWith: code)
        }
    }

    // MARK: Range and links

    /// Whether a central is connected.
    public var isConnected: Bool { link != nil }

    /// Stops answering and loses its link, as if out of range or out of power.
    public func leaveRange() {
        presence.leaveRange()
        link?.close(reason: .timedOut)
    }

    /// Moves back into range, answers and advertises.
    public func returnToRange() {
        presence.returnToRange()
        world?.medium.changed(self)
    }

    /// Disconnects and advertises again.
    public func dropLink() {
        link?.close(reason: .byRemoteHost)
    }

    /// Loses its link for a reason, and advertises again.
    func loseLink(_ reason: SimulatedDisconnectReason) {
        link?.close(reason: reason)
    }

    /// Stops answering while its link stays open.
    public func stopResponding() {
        presence.stopResponding()
    }

    /// Starts or stops advertising; a link stays open.
    public func setAdvertising(_ advertises: Bool) {
        presence.setAdvertising(advertises)
        world?.medium.changed(self)
    }

    // MARK: RadioPeer

    // A connected device stops advertising, like most real devices.
    var advertisements: [AdvertisingData] {
        link == nil ? presence.advertisements : []
    }

    var acceptsLinks: Bool { !advertisements.isEmpty && isConnectable }
    var database: AttributeDatabase { script.database }
    var bearerCount: Int { 1 }
    var deviceName: String? { name }
    var modalias: String? { nil }

    func signalStrength(at receiver: any RadioPeer) -> Int16 { presence.rssiInDBm }

    // A device scans for nothing.
    func peerChanged(_ peer: any RadioPeer) {}

    func linkOpened(_ link: SimulatedLink) {
        self.link = link
        periodicDisconnect?.start(self) { [weak self, weak link] in
            self?.link === link && link != nil
        }
    }

    func linkClosed(_ link: SimulatedLink) {
        guard self.link === link else { return }
        self.link = nil
        world?.medium.changed(self)
    }

    func perform(
        _ request: ATTRequest,
        from client: ATTClient,
        completion: @escaping (ATTResult) -> Void
    ) {
        guard !presence.isUnresponsive else { return }
        script.perform(request, from: client, completion: completion)
    }

    func clientDisconnected(_ client: ATTClient) {
        script.clientDisconnected(client)
    }

    private func notifyServicesChanged() {
        world?.schedule(RecordedDelays.serviceChange) { [weak self] in
            self?.link?.devices.first?.onLinkEvent(.servicesChanged)
        }
    }

    private func checkLength() {
        precondition(
            presence.lengthInBytes <= AdvertisingData.maximumLengthInBytes,
            "the advertisement of \(address.text) has \(presence.lengthInBytes) bytes; the limit is 31"
        )
    }

    private static func read(_ address: String, isRandom: Bool) -> RadioAddress {
        // An error in the test's script, which no peer or program under test can cause.
        guard let read = RadioAddress(address, isRandom ? .random : .public) else {
            preconditionFailure("\(address) is not an address like C4:7C:8D:6A:1F:02")
        }
        return read
    }
}
