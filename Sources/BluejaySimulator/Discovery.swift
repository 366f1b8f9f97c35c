internal import BluejayDBus
internal import BluejayGLib

/// The discovery of one adapter: sessions of its clients, and the reports that they cause.
final class Discovery {
    /// What one client asked for.
    struct Filter: Equatable {
        var uuids: [String] = []
        var rssi: Int16?
        var reportsDuplicates = true
        /// Whether a filter was set at all; without one only discoverable devices are shown.
        var isSet = false

        func accepts(_ advertisement: AirAdvertisement) -> Bool {
            // 127 is "not known" and fits no threshold.
            if let rssi, advertisement.rssi == 127 || advertisement.rssi < rssi { return false }
            if !isSet, !advertisement.isDiscoverable { return false }
            return uuids.isEmpty
                || uuids.contains {
                    advertisement.serviceUUIDs.contains($0) || advertisement.serviceData[$0] != nil
                }
        }
    }

    private unowned let adapter: SimulatedAdapter
    private var filters: [String: Filter] = [:]
    private var active: Set<String> = []
    private var timer: ScheduledTimer?

    init(_ adapter: SimulatedAdapter) {
        self.adapter = adapter
    }

    var isOn: Bool { !active.isEmpty }

    private var activeFilters: [Filter] { active.map { filters[$0] ?? Filter() } }

    // MARK: Calls

    func setFilter(_ call: MethodInvocation) {
        guard adapter.isPowered else { return call.fail(BlueZError.notReady) }
        guard let options = call.arguments[0].namedValues, let filter = Self.parse(options) else {
            return call.fail(BlueZError.invalidArguments)
        }
        filters[call.sender] = options.isEmpty ? nil : filter
        call.reply()
    }

    func start(_ call: MethodInvocation) {
        guard adapter.isPowered else { return call.fail(BlueZError.notReady) }
        guard !active.contains(call.sender) else { return call.fail(BlueZError.busy) }
        let wasOn = isOn
        active.insert(call.sender)
        call.reply()
        if !wasOn { adapter.emit([("Discovering", .boolean(true))]) }
        schedule(adapter.world.waits.firstReport)
    }

    func stop(_ call: MethodInvocation) {
        guard adapter.isPowered else { return call.fail(BlueZError.notReady) }
        guard active.contains(call.sender) else {
            return call.fail(BlueZError.failed("No discovery started"))
        }
        call.reply()
        end(call.sender)
    }

    func clientGone(_ client: String) {
        filters[client] = nil
        if active.contains(client) { end(client) }
    }

    /// The adapter goes down: nobody is told but by the adapter's own signal.
    func stopSilently() {
        active = []
        filters = [:]
        timer = nil
        for device in adapter.devices { device.forgetStrength(telling: false) }
    }

    private func end(_ client: String) {
        active.remove(client)
        guard !isOn else { return }
        timer = nil
        for device in adapter.devices { device.forgetStrength(telling: true) }
        adapter.emit([("Discovering", .boolean(false))])
    }

    private static func parse(_ options: [String: BusValue]) -> Filter? {
        var filter = Filter(isSet: true)
        for (name, value) in options {
            switch (name, value) {
            case ("UUIDs", _):
                guard let uuids = value.texts else { return nil }
                filter.uuids = uuids.map(fullUUID)
            case ("RSSI", .int16(let rssi)): filter.rssi = rssi
            case ("DuplicateData", .boolean(let flag)): filter.reportsDuplicates = flag
            case ("Transport", .string(let text)):
                guard ["auto", "bredr", "le"].contains(text) else { return nil }
            case ("Pathloss", .uint16), ("Discoverable", .boolean), ("Pattern", .string): break
            default: return nil
            }
        }
        return options["RSSI"] != nil && options["Pathloss"] != nil ? nil : filter
    }

    // MARK: Reports

    private func schedule(_ wait: Duration) {
        timer = adapter.world.after(wait) { [weak self] in
            guard let self, isOn else { return }
            for peer in adapter.world.peers(for: adapter) { hears(peer) }
            schedule(adapter.world.waits.advertisingInterval)
        }
    }

    func hears(_ peer: any AirPeer) {
        guard isOn, let advertisement = peer.advertisement else { return }
        let interested = activeFilters.filter { $0.accepts(advertisement) }
        guard !interested.isEmpty else { return }
        let tellsEverything = interested.contains { $0.rssi != nil }
        let tellsDuplicates = interested.contains { $0.isSet && $0.reportsDuplicates }
        if let device = adapter.device(peer.airAddress) {
            device.saw(
                advertisement,
                everyStrength: tellsEverything,
                duplicates: tellsDuplicates
            )
        } else {
            _ = adapter.addDevice(peer.airAddress) { $0.learn(advertisement) }
        }
    }
}
