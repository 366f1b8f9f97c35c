internal import BluejayBlueZ
internal import BluejayCore
internal import FoundationEssentials

/// A value that a filter can check: a report of the engine, or a user's discovery.
protocol FilterCandidate {
    var candidateAddress: DeviceAddress? { get }
    var candidateName: String? { get }
    /// In dBm, or `nil` if unknown.
    var candidateRSSI: Int? { get }
    var candidateManufacturerData: [UInt16: Data] { get }
    /// Returns whether it advertises a service or data of the service.
    func advertises(_ service: BluetoothUUID) -> Bool
}

/// A filter, prepared for checking many reports.
struct FilterMatcher: Equatable {
    private let conditions: [ScanFilter.Condition]
    /// The addresses of each address condition, without the address type.
    private let addresses: [Set<String>]

    init(_ filter: ScanFilter) {
        conditions = filter.conditions.filter { condition in
            if case .addresses = condition { false } else { true }
        }
        addresses = filter.conditions.compactMap { condition in
            guard case .addresses(let texts) = condition else { return nil }
            return Set(texts.map { $0.uppercased() })
        }
    }

    func matches(_ subject: some FilterCandidate) -> Bool {
        if !addresses.isEmpty {
            guard let address = subject.candidateAddress?.text else { return false }
            guard addresses.allSatisfy({ $0.contains(address) }) else { return false }
        }
        return conditions.allSatisfy { isMet($0, subject) }
    }

    private func isMet(_ condition: ScanFilter.Condition, _ subject: some FilterCandidate) -> Bool {
        switch condition {
        case .addresses: return true
        case .name(let name): return subject.candidateName == name
        case .namePrefix(let prefix):
            return subject.candidateName?.utf8.starts(with: prefix.utf8) ?? false
        case .minimumRSSI(let least):
            return subject.candidateRSSI.map { $0 >= least } ?? false
        case .manufacturer(let company, let prefix):
            return subject.candidateManufacturerData[company]?.starts(with: prefix) ?? false
        case .anyService(let services):
            return services.contains { subject.advertises($0.uuid) }
        case .allServices(let services):
            return services.allSatisfy { subject.advertises($0.uuid) }
        }
    }
}

extension ScanFilter {
    /// Returns a closure that passes on matching reports.
    ///
    /// If the engine already filters, the result is `receive` itself, which adds no cost to a report.
    func filtering(_ receive: @escaping (DiscoveredDevice) -> Void) -> (DiscoveredDevice) -> Void {
        guard !isDecidedByEngine else { return receive }
        let check = FilterMatcher(self)
        return { if check.matches($0) { receive($0) } }
    }

    /// Whether every report with one of the necessary services matches.
    private var isDecidedByEngine: Bool {
        switch conditions.first {
        case nil: true
        case .anyService: conditions.count == 1
        case .name, .namePrefix, .addresses, .minimumRSSI, .manufacturer, .allServices: false
        }
    }

    /// The reason to reject a scan with this filter, or `nil`.
    var rejection: BluejayError? {
        for condition in conditions {
            switch condition {
            case .anyService(let services), .allServices(let services):
                if let uuid = services.first(where: \.uuid.isMalformed)?.uuid {
                    return .malformedUUID(uuid.uuidString)
                }
            case .addresses(let addresses):
                if let text = addresses.first(where: { DeviceAddress($0, kind: .random) == nil }) {
                    return .malformedAddress(text)
                }
            case .name, .namePrefix, .minimumRSSI, .manufacturer: break
            }
        }
        return nil
    }

    /// Services of which every match advertises at least one, or data of one; `nil` if no such list exists.
    ///
    /// If several lists exist, the shortest one.
    var necessaryServices: [BluetoothUUID]? {
        conditions.compactMap { condition -> [BluetoothUUID]? in
            switch condition {
            case .anyService(let services): services.map(\.uuid)
            // A peripheral with all of them has the first.
            case .allServices(let services): services.prefix(1).map(\.uuid)
            case .name, .namePrefix, .addresses, .minimumRSSI, .manufacturer: nil
            }
        }.min { $0.count < $1.count }
    }

    /// The minimum signal strength of every match in dBm, or `nil`.
    var necessaryRSSI: Int? {
        conditions.compactMap { condition -> Int? in
            if case .minimumRSSI(let least) = condition { least } else { nil }
        }.max()
    }
}

extension DiscoveryFilter {
    /// The engine's request, which covers every match of a filter.
    init(_ filter: ScanFilter, reportsDuplicates: Bool) {
        self.init(
            services: filter.necessaryServices.map { Set($0) },
            reportsDuplicates: reportsDuplicates,
            minimumRSSI: filter.necessaryRSSI,
            includesConnected: !filter.isEmpty
        )
    }
}

extension DiscoveredDevice: FilterCandidate {
    var candidateAddress: DeviceAddress? { address }
    var candidateName: String? { name }
    var candidateRSSI: Int? { rssi }
    var candidateManufacturerData: [UInt16: Data] { manufacturerData }

    func advertises(_ service: BluetoothUUID) -> Bool {
        uuids.contains(service) || serviceData[service] != nil
    }
}

extension ScanDiscovery: FilterCandidate {
    var candidateAddress: DeviceAddress? { peripheralIdentifier.deviceAddress }
    var candidateName: String? { advertisement.localName }
    var candidateRSSI: Int? { rssi == 127 ? nil : rssi }
    var candidateManufacturerData: [UInt16: Data] { advertisement.manufacturerData }

    func advertises(_ service: BluetoothUUID) -> Bool {
        advertisement.serviceUUIDs.contains(service) || advertisement.serviceData[service] != nil
    }
}
