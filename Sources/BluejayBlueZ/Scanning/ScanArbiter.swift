package import BluejayCore
package import BluejayDBus
internal import BluejayGLib
internal import Logging

/// One device as bluetoothd describes it after an advertisement.
package struct ScanReport: Equatable {
    package var path: ObjectPath
    package var address: DeviceAddress
    package var name: String?
    /// In dBm; nil when it is not known.
    package var rssi: Int?
    package var txPower: Int?
    /// Full UUID texts, lower case.
    package var uuids: [String]
    package var manufacturerData: [UInt16: [UInt8]]
    package var serviceData: [String: [UInt8]]
    /// Whether somebody on this machine is connected to it; it need not advertise then.
    package var isConnected = false
}

/// Somebody's wish to scan; releasing it ends the wish.
package final class ScanLease {
    fileprivate let uuids: [String]?
    fileprivate let reportsDuplicates: Bool
    fileprivate let report: (ScanReport) -> Void
    fileprivate let failed: (BlueZFailure) -> Void
    fileprivate var onEnd: ((ScanLease) -> Void)?
    fileprivate var opening: ScheduledTimer?

    fileprivate init(
        uuids: [String]?,
        reportsDuplicates: Bool,
        report: @escaping (ScanReport) -> Void,
        failed: @escaping (BlueZFailure) -> Void
    ) {
        self.uuids = uuids
        self.reportsDuplicates = reportsDuplicates
        self.report = report
        self.failed = failed
    }

    deinit {
        onEnd?(self)
    }

    /// Ends the wish; nothing is reported afterwards.
    package func end() {
        onEnd?(self)
        onEnd = nil
    }

    fileprivate func wants(_ report: ScanReport) -> Bool {
        guard let uuids else { return true }
        return uuids.contains { report.uuids.contains($0) || report.serviceData[$0] != nil }
    }
}

/// Shares one adapter's discovery among everybody in this process who scans.
///
/// bluetoothd merges the filters of all programs, so that each lease filters again for itself.
package final class ScanArbiter {
    private let client: BlueZClient
    private let adapter: ObjectPath
    private var machine = DiscoveryMachine()
    private var leases: [WeakLease] = []
    private var suspensions = 0
    private var observation: Observation?
    private var lastFailure = BlueZFailure.adapterOff
    private let log = Logger(label: "bluejay.scan")

    init(_ client: BlueZClient, adapter: ObjectPath) {
        self.client = client
        self.adapter = adapter
        observation = client.observe { [weak self] in self?.receive($0) }
    }

    /// Scans until the lease is released.
    ///
    /// - Parameters:
    ///   - uuids: Full UUID texts, lower case; nil is every device.
    ///   - duplicates: Whether every advertisement is reported, changed or not.
    ///   - report: Called for each report of a device that is in range and fits.
    ///   - failed: Called at most once, when discovery cannot start or ended by itself.
    /// - Returns: The lease.
    package func scan(
        uuids: [String]?,
        duplicates: Bool,
        report: @escaping (ScanReport) -> Void,
        failed: @escaping (BlueZFailure) -> Void
    ) -> ScanLease {
        let lease = ScanLease(
            uuids: uuids,
            reportsDuplicates: duplicates,
            report: report,
            failed: failed
        )
        lease.onEnd = { [weak self] in self?.remove($0) }
        leases.append(WeakLease(lease))
        update()
        // Who was seen by a running discovery has a signal strength and may never be signalled again,
        // and who is connected does not advertise. Of these a lease for every device, which may be a
        // keyboard, hears nothing.
        lease.opening = client.clock.schedule(after: .zero) { [weak self, weak lease] in
            guard let self, let lease else { return }
            for report in presentReports(withConnected: uuids != nil)
            where isActive(lease) && lease.wants(report) {
                lease.report(report)
            }
        }
        return lease
    }

    /// Pauses discovery while a link is made: many controllers cannot do both well.
    func suspend() {
        suspensions += 1
        update()
    }

    func resume() {
        suspensions -= 1
        update()
    }

    private func isActive(_ lease: ScanLease) -> Bool { leases.contains { $0.lease === lease } }

    private func remove(_ lease: ScanLease) {
        // In `deinit` the weak reference is nil already.
        leases.removeAll { $0.lease == nil || $0.lease === lease }
        update()
    }

    private func update() {
        let active = leases.compactMap(\.lease)
        guard !active.isEmpty, suspensions == 0 else { return perform(machine.want(nil)) }
        let uuids =
            active.contains { $0.uuids == nil }
            ? nil : Array(Set(active.flatMap { $0.uuids ?? [] })).sorted()
        let filter = DiscoveryMachine.Filter(
            uuids: uuids,
            reportsDuplicates: active.contains(where: \.reportsDuplicates)
        )
        perform(machine.want(filter))
    }

    private func perform(_ actions: [DiscoveryMachine.Action]) {
        for action in actions {
            switch action {
            case .setFilter(let filter):
                call("SetDiscoveryFilter", [.properties(Self.options(filter))])
            case .start: call("StartDiscovery")
            case .stop: call("StopDiscovery")
            case .fail: fail()
            }
        }
    }

    private func call(_ member: String, _ arguments: [BusValue] = []) {
        client.call(adapter, BlueZ.adapter, member, arguments, timeout: .seconds(25)) {
            [weak self] result in
            guard let self else { return }
            var succeeded = true
            if case .failure(let error) = result {
                lastFailure = BlueZFailure(error)
                // It is discovering already: left over from a call of ours that got no answer.
                succeeded = member == "StartDiscovery" && lastFailure == .inProgress
            }
            log.debug("\(member)", metadata: ["ok": "\(succeeded)"])
            perform(machine.replied(succeeded: succeeded))
        }
    }

    private func fail() {
        let ended = leases.compactMap(\.lease)
        leases = []
        for lease in ended {
            lease.onEnd = nil
            lease.failed(lastFailure)
        }
    }

    private static func options(_ filter: DiscoveryMachine.Filter) -> BusProperties {
        var options: BusProperties = [("Transport", .string("le"))]
        if let uuids = filter.uuids { options.append(("UUIDs", .strings(uuids))) }
        options.append(("DuplicateData", .boolean(filter.reportsDuplicates)))
        // Only a filter with a signal strength makes bluetoothd signal every change of it; without,
        // a device with a steady one falls silent. No device is weaker than this.
        if filter.reportsDuplicates { options.append(("RSSI", .int16(-127))) }
        return options
    }

    // MARK: Reports

    private static let advertised: Set<String> = [
        "RSSI", "TxPower", "ManufacturerData", "ServiceData", "AdvertisingData", "AdvertisingFlags",
    ]

    private func receive(_ event: BlueZClient.Event) {
        switch event {
        case .disconnectReason: break
        case .stateChanged(let state):
            if state != .running { drop(.daemonGone) }
        case .changed(let changes):
            for change in changes { receive(change) }
        }
    }

    private func receive(_ change: ObjectTree.Change) {
        switch change {
        case .added(let path, BlueZ.device):
            // One without a signal strength was stored, not seen.
            if client.objects.value(path, BlueZ.device, "RSSI") != nil { report(path) }
        case .changed(let path, BlueZ.device, let values, _):
            if values.keys.contains(where: Self.advertised.contains) { report(path) }
        case .removed(adapter, BlueZ.adapter): drop(.adapterOff)
        case .changed(adapter, BlueZ.adapter, _, _):
            if client.objects.adapterState(adapter) != .on { drop(.adapterOff) }
        case .added, .removed, .changed: break
        }
    }

    private func drop(_ failure: BlueZFailure) {
        lastFailure = failure
        perform(machine.dropped())
    }

    private func report(_ path: ObjectPath) {
        guard !leases.isEmpty, path.isBelow(adapter), let report = makeReport(path) else { return }
        for lease in leases.compactMap(\.lease) where isActive(lease) && lease.wants(report) {
            lease.report(report)
        }
    }

    private func presentReports(withConnected: Bool) -> [ScanReport] {
        let objects = client.objects
        return objects.paths(with: BlueZ.device, below: adapter).compactMap { path in
            let isPresent =
                objects.value(path, BlueZ.device, "RSSI") != nil
                || withConnected && objects.isConnected(path)
            return isPresent ? makeReport(path) : nil
        }
    }

    private func makeReport(_ path: ObjectPath) -> ScanReport? {
        guard let device = client.objects.properties(path, BlueZ.device),
            let address = DeviceAddress(device: device)
        else { return nil }
        // 127 is "not known", Core Specification, Vol 4, Part E, 7.7.65.2.
        let rssi = device["RSSI"]?.integer
        return ScanReport(
            path: path,
            address: address,
            name: device["Name"]?.text,
            rssi: rssi == 127 ? nil : rssi,
            txPower: device["TxPower"]?.integer,
            uuids: (device["UUIDs"]?.texts ?? []).map { $0.lowercased() },
            manufacturerData: Self.manufacturerData(device["ManufacturerData"]),
            serviceData: Self.serviceData(device["ServiceData"]),
            isConnected: device["Connected"]?.boolean == true
        )
    }

    private static func manufacturerData(_ value: BusValue?) -> [UInt16: [UInt8]] {
        var data: [UInt16: [UInt8]] = [:]
        for entry in value?.entries ?? [] {
            guard let company = entry.key.integer.flatMap({ UInt16(exactly: $0) }) else { continue }
            data[company] = entry.value.bytes
        }
        return data
    }

    private static func serviceData(_ value: BusValue?) -> [String: [UInt8]] {
        var data: [String: [UInt8]] = [:]
        for entry in value?.entries ?? [] {
            guard let uuid = entry.key.text else { continue }
            data[uuid.lowercased()] = entry.value.bytes
        }
        return data
    }
}

private final class WeakLease {
    weak var lease: ScanLease?
    init(_ lease: ScanLease) { self.lease = lease }
}
