internal import BluejayGLib

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
public final class SimulatedDevice: RadioPeer {
    private(set) var address: RadioAddress
    private(set) var identity: RadioAddress?
    let name: String?
    private(set) weak var world: SimulatedBlueZ?
    private(set) var link: SimulatedLink?
    private var presence: DevicePresence
    private let script = DeviceScript()
    let history = TrafficHistory()
    let channelBook = DeviceChannels()
    /// How it loses its links by itself, if it does.
    private var dropOut: PeriodicDisconnect?

    /// The largest ATT packet that it agrees to, 23 to 517; a connected central hears of a change.
    public var mtu = 517 {
        didSet { if mtu != oldValue { link?.devices.first?.connection.mtuChanged() } }
    }
    /// Whether it pairs when it is asked to.
    public var acceptsPairing = true
    /// How it pairs when it accepts to.
    public var pairing = SimulatedPairing.justWorks
    /// Whether it can be connected to; a beacon cannot.
    public var isConnectable: Bool {
        get { presence.isConnectable }
        set { presence.isConnectable = newValue }
    }
    /// Whether its flags say that it is discoverable: without a filter others are not shown.
    public var isDiscoverable: Bool {
        get { presence.isDiscoverable }
        set { presence.isDiscoverable = newValue }
    }

    /// Whether it tells its services when it is asked.
    ///
    /// While it does not, a connection is resolved without services after 30 s, and drops 2 s later.
    /// `Disconnect` before that ends the daemon, as it crashes bluetoothd 5.66 and 5.82.
    public var answersDiscovery = true {
        didSet { if answersDiscovery { link?.devices.first?.connection.discoveryAnswered() } }
    }

    /// The last 10,000 writes to its characteristics, in order: the UUID in full, and the value.
    public var writes: [(characteristic: String, value: [UInt8])] { history.writes.last }
    /// Which characteristics were read, the last 10,000 in order: the UUIDs in full; a long read counts
    /// once.
    public var reads: [String] { history.reads.last }
    /// The last 10,000 values that were sent to listeners, in order: the UUID in full, and the value.
    public var sent: [(characteristic: String, value: [UInt8])] { history.sent.last }
    /// How many writes there were in all.
    public var writeCount: Int { history.writes.count }
    /// How many reads there were in all.
    public var readCount: Int { history.reads.count }
    /// How many values were sent in all.
    public var sentCount: Int { history.sent.count }

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
        presence = DevicePresence(name: name, advertising: advertising, rssi: rssi)
        checkLength()
        script.addOwnServices(name: name ?? "", seed: self.address.text)
    }

    /// Loses its links from now on, as `dropOut` says.
    func loseLinks(_ dropOut: PeriodicDisconnect?) {
        self.dropOut = dropOut
    }

    /// A world has put it on the air.
    func join(_ world: SimulatedBlueZ) {
        self.world = world
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
        script.add(
            uuid,
            characteristics,
            at: handle,
            isPrimary: isPrimary,
            including: included,
            to: self
        )
        tellServices()
    }

    /// Removes the services of a UUID; a connected central hears of it.
    public func removeService(_ uuid: String) {
        script.remove(uuid)
        tellServices()
    }

    /// The handle of the first service with a UUID; nil when there is none.
    public func handle(ofService uuid: String) -> UInt16? {
        database.services.first { $0.uuid == UUIDText.scripted(uuid) }?.handle
    }

    /// Registers its services anew under the handles that they have, as a peer does after an update.
    ///
    /// Nobody listens any more, and values begin anew. A connected central hears of it (Service
    /// Changed): bluetoothd takes the objects away with who listened, and shows new ones a moment later
    /// at the same paths.
    public func registerServicesAgain() {
        script.renew(of: self)
        tellServices()
    }

    /// Sets the data of a company in the advertisement; nil sends none of it any more.
    public func setManufacturerData(_ company: UInt16, _ bytes: [UInt8]?) {
        presence.setManufacturerData(company, bytes)
        checkLength()
        world?.air.changed(self)
    }

    /// Sets the data of a service in the advertisement; nil sends none of it any more.
    public func setServiceData(_ service: String, _ bytes: [UInt8]?) {
        presence.setServiceData(service, bytes)
        checkLength()
        world?.air.changed(self)
    }

    /// Sets what it says it looks like, a number of Bluetooth's Assigned Numbers; nil says nothing.
    public func setAppearance(_ appearance: UInt16?) {
        presence.setAppearance(appearance)
        world?.air.changed(self)
    }

    /// Sets the signal strength in dBm.
    public func setSignalStrength(_ rssi: Int16) {
        presence.setSignalStrength(rssi)
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

    // MARK: Values

    /// Changes what a characteristic does.
    ///
    /// - Parameters:
    ///   - behaviour: What it does from now on.
    ///   - characteristic: The UUID.
    ///   - instance: Which one of those with the UUID, counted from 0; nil is all of them.
    public func setBehaviour(
        _ behaviour: ScriptedBehaviour,
        of characteristic: String,
        instance: Int? = nil
    ) {
        for one in script.scripts(characteristic, instance) { one.behaviour = behaviour }
    }

    /// Sends a value to everybody who listens to a characteristic.
    ///
    /// - Parameters:
    ///   - value: What is sent.
    ///   - characteristic: The UUID.
    ///   - instance: Which one of those with the UUID, counted from 0; nil is all of them.
    public func send(_ value: [UInt8], on characteristic: String, instance: Int? = nil) {
        for one in script.scripts(characteristic, instance) { one.send(value) }
    }

    /// How many listen to a characteristic.
    ///
    /// - Parameters:
    ///   - characteristic: The UUID.
    ///   - instance: Which one of those with the UUID, counted from 0; nil is all of them.
    /// - Returns: The sum.
    public func listenerCount(of characteristic: String, instance: Int? = nil) -> Int {
        script.scripts(characteristic, instance).reduce(0) { $0 + $1.listenerCount }
    }

    /// Leaves requests for a characteristic without an answer until ``release(_:of:refusingWith:)``.
    ///
    /// Whoever asked on the bus waits as long; after 30 simulated seconds bluetoothd gives up, as it
    /// does with ``ScriptedBehaviour/silent``, and the link breaks.
    public func hold(_ request: PeerRequest, of characteristic: String) {
        for one in script.scripts(characteristic) { one.hold(request) }
    }

    /// How many requests for a characteristic wait for their answers now.
    public func heldCount(_ request: PeerRequest, of characteristic: String) -> Int {
        script.scripts(characteristic).reduce(0) { $0 + $1.heldCount(request) }
    }

    /// Answers what was held, and from now on at once.
    ///
    /// - Parameters:
    ///   - request: What was held.
    ///   - characteristic: Of which characteristic.
    ///   - code: An error code of the Attribute Protocol for those that waited; nil answers them as
    ///     the script says.
    public func release(
        _ request: PeerRequest,
        of characteristic: String,
        refusingWith code: UInt8? = nil
    ) {
        for one in script.scripts(characteristic) { one.release(request, refusingWith: code) }
    }

    // MARK: Coming and going

    /// Whether a central is connected.
    public var isConnected: Bool { link != nil }

    /// Falls silent and loses its link, as if out of range or out of power.
    public func goAway() {
        presence.goAway()
        link?.close(reason: .timedOut)
    }

    /// Is there again, answers and advertises.
    public func comeBack() {
        presence.comeBack()
        world?.air.changed(self)
    }

    /// Ends its link and goes on advertising.
    public func drop() {
        link?.close(reason: .byRemoteHost)
    }

    /// Answers nothing any more while its link stays up.
    public func fallSilent() {
        presence.fallSilent()
    }

    /// Begins or ends advertising; a link stays as it is.
    public func setAdvertising(_ advertises: Bool) {
        presence.setAdvertising(advertises)
        world?.air.changed(self)
    }

    // MARK: AirPeer

    // A connected device stops advertising, as most do.
    var advertisements: [AdvertisingData] {
        link == nil ? presence.advertisements : []
    }

    var acceptsLinks: Bool { !advertisements.isEmpty && isConnectable }
    var database: AttributeDatabase { script.database }
    var bearerCount: Int { 1 }
    var deviceName: String? { name }
    var modalias: String? { nil }

    func signalStrength(at adapter: Adapter) -> Int16 { presence.rssiInDBm }

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
        guard !presence.isMute else { return }
        script.perform(request, from: client, answer: answer)
    }

    func clientLeft(_ client: ATTClient) {
        script.clientLeft(client)
    }

    private func tellServices() {
        world?.later(RecordedDelays.serviceChange) { [weak self] in
            self?.link?.devices.first?.connection.servicesChanged()
        }
    }

    private func checkLength() {
        precondition(
            presence.lengthInBytes <= AdvertisingData.maximumLengthInBytes,
            "the advertisement of \(address.text) has \(presence.lengthInBytes) bytes; 31 are possible"
        )
    }

    private static func read(_ address: String, isRandom: Bool) -> RadioAddress {
        // A test's own script is wrong: no peer and no program under test can cause it.
        guard let read = RadioAddress(address, isRandom ? .random : .public) else {
            preconditionFailure("\(address) is not an address; write C4:7C:8D:6A:1F:02")
        }
        return read
    }
}
