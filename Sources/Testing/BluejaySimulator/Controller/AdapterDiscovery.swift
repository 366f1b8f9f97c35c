internal import BluejayDBus
internal import BluejayGLib
internal import OrderedCollections

/// The discovery of an adapter: its clients, and the advertisements received for them.
final class AdapterDiscovery {
    enum Event {
        /// The radio must receive all peers now.
        case scan
        /// The last client has stopped; carries the devices found, and other changed properties.
        case ended(found: OrderedSet<RadioAddress>, others: [String])
        case changed([String])
    }

    private(set) var isDiscovering = false
    private let power: AdapterPower
    private unowned let world: SimulatedWorld
    private let report: (Event) -> Void
    private var clients = DiscoveryClients()
    /// The number of programs that scan.
    var clientCount: Int { clients.clients.values.count(where: \.isActive) }
    /// The advertisements that the kernel has reported in this round of the scan.
    private var reportedAdvertisements: [RadioAddress: [AdvertisingData]] = [:]
    /// The devices whose signal strength is known from this discovery, in the order of their reports.
    private var found: OrderedSet<RadioAddress> = []
    private var scanTimer: ScheduledTimer?
    private var duplicatesTimer: ScheduledTimer?

    init(
        _ power: AdapterPower,
        in world: SimulatedWorld,
        report: @escaping (Event) -> Void
    ) {
        self.power = power
        self.world = world
        self.report = report
    }

    /// Whether each signal strength is reported, rather than steps of 8 dB.
    var reportsEachStrength: Bool {
        world.version.reportsEachStrengthWithAnyFilter
            ? clients.isFiltered : clients.filtersBySignal
    }

    /// Whether each advertisement is reported, even without changes.
    var reportsDuplicates: Bool { clients.reportsDuplicates }

    // MARK: Clients

    func setFilter(_ call: MethodInvocation) {
        guard power.isReady else { return call.fail(BlueZError.notReady) }
        do throws(BusError) {
            let filter = try ClientDiscoveryFilter.parse(call.arguments[0], world.version)
            clients.setFilter(filter, for: call.sender)
            call.reply()
        } catch {
            call.fail(error)
        }
    }

    func start(_ call: MethodInvocation) {
        guard power.isReady else { return call.fail(BlueZError.notReady) }
        let wasActive = clients.isActive
        guard clients.start(call.sender) else { return call.fail(BlueZError.busy) }
        call.reply()
        guard !wasActive else { return rescan() }
        isDiscovering = true
        report(.changed(["Discovering"]))
        rescan()
        runCycle()
        runDuplicates()
    }

    func stop(_ call: MethodInvocation) {
        guard power.isReady else { return call.fail(BlueZError.notReady) }
        guard clients.stop(call.sender) else {
            return call.fail(BlueZError.failed("No discovery started"))
        }
        call.reply()
        if !clients.isActive { report(.ended(found: end(), others: [])) }
    }

    /// Removes a client that has left the bus, with its discovery and its filter.
    ///
    /// `others` names further properties changed by its departure; one signal carries all of them.
    func clientDisconnected(_ client: String, others: [String]) {
        guard clients.remove(client), !clients.isActive else { return report(.changed(others)) }
        // bluetoothd repeats this signal if the client had only a filter left.
        report(.ended(found: end(), others: others))
    }

    /// Resets discovery like a new daemon, without clients.
    func restart() {
        clients = DiscoveryClients()
        isDiscovering = false
    }

    /// Stops scanning without signalling a change of the adapter.
    ///
    /// - Returns: The devices found.
    func end() -> OrderedSet<RadioAddress> {
        clients.stopAll()
        isDiscovering = false
        scanTimer = nil
        duplicatesTimer = nil
        reportedAdvertisements = [:]
        defer { found = [] }
        return found
    }

    // MARK: Rounds

    // A restarted scan reports every device again.
    private func rescan() {
        reportedAdvertisements = [:]
        world.schedule(RecordedDelays.report) { [weak self] in
            guard let self, isDiscovering else { return }
            report(.scan)
        }
    }

    private func runCycle() {
        scanTimer = world.clock.schedule(after: RecordedDelays.scanCycle) { [weak self] in
            guard let self, isDiscovering else { return }
            rescan()
            runCycle()
        }
    }

    private func runDuplicates() {
        duplicatesTimer = world.clock.schedule(after: RecordedDelays.advertisingInterval) {
            [weak self] in
            guard let self, isDiscovering else { return }
            if clients.reportsDuplicates {
                reportedAdvertisements = [:]
                report(.scan)
            }
            runDuplicates()
        }
    }

    // MARK: Reports

    /// Receives the current advertisements of a peer.
    ///
    /// - Returns: The advertisements not yet reported in this round.
    func receive(
        _ advertisements: [AdvertisingData],
        from address: RadioAddress
    ) -> [AdvertisingData] {
        let known = reportedAdvertisements[address] ?? []
        reportedAdvertisements[address] = advertisements
        return advertisements.filter { !known.contains($0) }
    }

    /// Whether a client wants the advertisement; if so, its device counts as found.
    func find(_ advertisement: AdvertisingData, of address: RadioAddress, rssi: Int16) -> Bool {
        guard clients.matches(advertisement, address: address.text, rssi: rssi) else {
            return false
        }
        found.append(address)
        return true
    }

    /// Makes the next advertisements of a device reportable, even if unchanged.
    func forgetReports(of address: RadioAddress) {
        reportedAdvertisements[address] = nil
    }

    func forget(_ address: RadioAddress) {
        found.remove(address)
        reportedAdvertisements[address] = nil
    }

    func move(_ old: RadioAddress, to identity: RadioAddress) {
        reportedAdvertisements[old] = nil
        if found.remove(old) != nil { found.append(identity) }
    }
}
