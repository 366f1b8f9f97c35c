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
    /// As a closure of the user receives it.
    var candidateDiscovery: ScanDiscovery { get }
    /// Returns whether it advertises a service or data of the service.
    func advertises(_ service: BluetoothUUID) -> Bool
}

/// A filter, prepared for checking many reports.
struct FilterMatcher {
    private enum Check {
        /// Any condition but one with addresses or filters.
        case value(ScanFilter.Condition)
        /// In BlueZ's notation; without the address type.
        case address(Set<String>)
        case oneOf([FilterMatcher])
        case not(FilterMatcher)
    }

    private let checks: [Check]

    init(_ filter: ScanFilter) {
        checks = filter.conditions.map { condition in
            switch condition {
            case .addresses(let texts):
                .address(Set(texts.compactMap { DeviceAddress($0, kind: .random)?.text }))
            case .oneOf(let filters): .oneOf(filters.map { FilterMatcher($0) })
            case .not(let filter): .not(FilterMatcher(filter))
            case .name, .namePrefix, .minimumRSSI, .manufacturer, .anyService, .allServices,
                .predicate:
                .value(condition)
            }
        }
    }

    func matches(_ subject: some FilterCandidate) -> Bool {
        checks.allSatisfy { check in
            switch check {
            case .value(let condition): isMet(condition, subject)
            case .address(let texts):
                subject.candidateAddress.map { texts.contains($0.text) } ?? false
            case .oneOf(let matchers): matchers.contains { $0.matches(subject) }
            case .not(let matcher): !matcher.matches(subject)
            }
        }
    }

    private func isMet(_ condition: ScanFilter.Condition, _ subject: some FilterCandidate) -> Bool {
        switch condition {
        case .addresses, .oneOf, .not: return true
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
        case .predicate(let predicate): return predicate.isMet(subject.candidateDiscovery)
        }
    }
}

extension ScanFilter {
    /// Returns whether a discovery matches.
    ///
    /// - Parameter discovery: A discovery from a scan, or created for a test.
    /// - Returns: False if a condition is not met.
    public func matches(_ discovery: ScanDiscovery) -> Bool {
        FilterMatcher(self).matches(discovery)
    }

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
        guard let first = conditions.first else { return true }
        guard case .anyService = first else { return false }
        return conditions.count == 1
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
            case .oneOf(let filters):
                if let rejection = filters.lazy.compactMap(\.rejection).first { return rejection }
            case .not(let filter):
                if let rejection = filter.rejection { return rejection }
            case .name, .namePrefix, .minimumRSSI, .manufacturer, .predicate: break
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
            case .anyService(let services): return services.map(\.uuid)
            // A peripheral with all of them has the first.
            case .allServices(let services): return services.prefix(1).map(\.uuid)
            case .oneOf(let filters):
                let lists = filters.compactMap(\.necessaryServices)
                return lists.count == filters.count ? lists.flatMap { $0 } : nil
            // An exclusion says what a match lacks.
            case .name, .namePrefix, .addresses, .minimumRSSI, .manufacturer, .not, .predicate:
                return nil
            }
        }.min { $0.count < $1.count }
    }

    /// The minimum signal strength of every match in dBm, or `nil`.
    var necessaryRSSI: Int? {
        conditions.compactMap { condition -> Int? in
            switch condition {
            case .minimumRSSI(let least): return least
            case .oneOf(let filters):
                let strengths = filters.compactMap(\.necessaryRSSI)
                return strengths.count == filters.count ? strengths.min() : nil
            case .name, .namePrefix, .addresses, .manufacturer, .anyService, .allServices, .not,
                .predicate:
                return nil
            }
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
    var candidateDiscovery: ScanDiscovery { ScanDiscovery(self) }

    func advertises(_ service: BluetoothUUID) -> Bool {
        uuids.contains(service) || serviceData[service] != nil
    }
}

extension ScanDiscovery: FilterCandidate {
    var candidateAddress: DeviceAddress? { peripheralIdentifier.deviceAddress }
    var candidateName: String? { advertisement.localName }
    var candidateRSSI: Int? { rssi == 127 ? nil : rssi }
    var candidateManufacturerData: [UInt16: Data] { advertisement.manufacturerData }
    var candidateDiscovery: ScanDiscovery { self }

    func advertises(_ service: BluetoothUUID) -> Bool {
        advertisement.serviceUUIDs.contains(service) || advertisement.serviceData[service] != nil
    }
}
