internal import BluejayCore
public import FoundationEssentials

/// The conditions for peripherals of a scan.
///
/// `&&`, `||` and `!` combine filters, and a closure decides the rest:
///
/// ```swift
/// let near: ScanFilter = .namePrefix("Polar") && .minimumRSSI(-70)
/// let others: ScanFilter = !.address("C4:7C:8D:6A:1F:02") && (.name("Lamp") || .name("Bulb"))
/// let strong: ScanFilter = .where { discovery in discovery.rssi > -70 }
/// ```
///
/// The conditions apply to bluetoothd's knowledge of a peripheral, which it gathers from several
/// advertisements: a peripheral may match only after its name has arrived, and match `!.name("Lamp")` before.
public struct ScanFilter: Hashable, Swift.Sendable {
    enum Condition: Hashable {
        case name(String)
        case namePrefix(String)
        /// As written by the user.
        case addresses([String])
        case minimumRSSI(Int)
        case manufacturer(UInt16, prefix: Data)
        case anyService([ServiceIdentifier])
        case allServices([ServiceIdentifier])
        case oneOf([ScanFilter])
        case not(ScanFilter)
        case predicate(Predicate)
    }

    /// A closure, equal to itself only.
    final class Predicate: Hashable, Swift.Sendable {
        let isMet: @Sendable (ScanDiscovery) -> Bool

        init(_ isMet: @escaping @Sendable (ScanDiscovery) -> Bool) {
            self.isMet = isMet
        }

        static func == (left: Predicate, right: Predicate) -> Bool { left === right }

        func hash(into hasher: inout Hasher) {
            hasher.combine(ObjectIdentifier(self))
        }
    }

    /// All must be met; in the order in which they were written.
    let conditions: [Condition]

    init(_ conditions: [Condition]) {
        self.conditions = conditions
    }

    /// Matches every advertiser.
    public static let everything = ScanFilter([])

    /// Matches peripherals with exactly this name.
    ///
    /// - Parameter name: The name; compared case-sensitively.
    /// - Returns: The filter.
    public static func name(_ name: String) -> ScanFilter {
        ScanFilter([.name(name)])
    }

    /// Matches peripherals whose name begins with a prefix.
    ///
    /// - Parameter prefix: The prefix; compared byte by byte, case-sensitively. An empty prefix matches every
    ///   name, but no peripheral without a name.
    /// - Returns: The filter.
    public static func namePrefix(_ prefix: String) -> ScanFilter {
        ScanFilter([.namePrefix(prefix)])
    }

    /// Matches the peripheral with an address, public or random.
    ///
    /// - Parameter address: An address such as `C4:7C:8D:6A:1F:02`, in either case. If the text is not an
    ///   address, the scan fails with ``BluejayError/malformedAddress(_:)``.
    /// - Returns: The filter.
    public static func address(_ address: String) -> ScanFilter {
        ScanFilter([.addresses([address])])
    }

    /// Matches the peripherals with one of these addresses.
    ///
    /// - Parameter addresses: Addresses as for ``address(_:)``; an empty array matches nothing.
    /// - Returns: The filter.
    public static func addresses(_ addresses: [String]) -> ScanFilter {
        ScanFilter([.addresses(addresses)])
    }

    /// Matches peripherals with at least this signal strength.
    ///
    /// Peripherals with an unknown signal strength do not match, nor do connected peripherals that do not
    /// advertise.
    ///
    /// - Parameter strength: In dBm, such as -70.
    /// - Returns: The filter.
    public static func minimumRSSI(_ strength: Int) -> ScanFilter {
        ScanFilter([.minimumRSSI(strength)])
    }

    /// Matches peripherals that advertise data of a company.
    ///
    /// - Parameters:
    ///   - company: The assigned number of the company, such as 0x004C.
    ///   - prefix: The first bytes of the data after the number; empty matches any data.
    /// - Returns: The filter.
    public static func manufacturer(_ company: UInt16, prefix: Data = Data()) -> ScanFilter {
        ScanFilter([.manufacturer(company, prefix: prefix)])
    }

    /// Matches peripherals that advertise at least one of these services, or data of one.
    ///
    /// - Parameter services: An empty array matches everything. If a UUID is malformed, the scan fails with
    ///   ``BluejayError/malformedUUID(_:)``.
    /// - Returns: The filter.
    public static func anyService(_ services: [ServiceIdentifier]) -> ScanFilter {
        ScanFilter(services.isEmpty ? [] : [.anyService(services)])
    }

    /// Matches peripherals that advertise all of these services, or data of them.
    ///
    /// - Parameter services: As for ``anyService(_:)``.
    /// - Returns: The filter.
    public static func allServices(_ services: [ServiceIdentifier]) -> ScanFilter {
        ScanFilter(services.isEmpty ? [] : [.allServices(services)])
    }

    /// Matches peripherals that match both filters.
    public static func && (left: ScanFilter, right: ScanFilter) -> ScanFilter {
        ScanFilter(left.conditions + right.conditions)
    }

    /// Matches peripherals that match at least one of both filters.
    public static func || (left: ScanFilter, right: ScanFilter) -> ScanFilter {
        guard !left.isEmpty, !right.isEmpty else { return .everything }
        return ScanFilter([.oneOf(left.alternatives + right.alternatives)])
    }

    /// Matches peripherals that do not match a filter.
    ///
    /// An unknown value does not match, so `!.minimumRSSI(-70)` matches a peripheral with an unknown signal
    /// strength.
    public static prefix func ! (filter: ScanFilter) -> ScanFilter {
        if filter.conditions.count == 1, case .not(let inner) = filter.conditions[0] {
            return inner
        }
        return ScanFilter([.not(filter)])
    }

    /// Matches peripherals for which a closure returns true.
    ///
    /// The closure is called on the main loop for each report of the radio, often several times in a second
    /// for a peripheral: it must be quick. Two filters with closures are equal only if one is a copy of the
    /// other.
    ///
    /// - Parameter isMatch: Receives the discovery as a scan would report it.
    /// - Returns: The filter.
    public static func `where`(
        _ isMatch: @escaping @Sendable (ScanDiscovery) -> Bool
    ) -> ScanFilter {
        ScanFilter([.predicate(Predicate(isMatch))])
    }

    /// The filters of which one must match.
    private var alternatives: [ScanFilter] {
        if conditions.count == 1, case .oneOf(let filters) = conditions[0] { return filters }
        return [self]
    }

    /// The addresses of which a peripheral must have one; empty if other peripherals match, too.
    var wantedAddresses: [String] {
        conditions.flatMap { condition -> [String] in
            switch condition {
            case .addresses(let addresses): return addresses
            case .oneOf(let filters):
                let addresses = filters.map(\.wantedAddresses)
                return addresses.contains(where: \.isEmpty) ? [] : addresses.flatMap { $0 }
            case .name, .namePrefix, .minimumRSSI, .manufacturer, .anyService, .allServices, .not,
                .predicate:
                return []
            }
        }
    }

    /// Whether the filter matches everything.
    public var isEmpty: Bool { conditions.isEmpty }
}

extension ScanFilter: CustomStringConvertible {
    /// The conditions as text, such as `name "Polar…" and -70 dBm or more`; empty for everything.
    public var description: String {
        guard conditions.count > 1 else { return conditions.first?.description ?? "" }
        return conditions.map(\.operand).joined(separator: " and ")
    }

    /// The description as an operand of `or` or `not`.
    fileprivate var operand: String {
        conditions.count > 1 ? "(\(description))" : conditions.first?.operand ?? "everything"
    }
}

extension ScanFilter.Condition: CustomStringConvertible {
    var description: String {
        switch self {
        case .name(let name): "name \"\(name)\""
        case .namePrefix(let prefix): "name \"\(prefix)…\""
        case .addresses(let addresses): "address " + list(addresses, "or")
        case .minimumRSSI(let strength): "\(strength) dBm or more"
        case .manufacturer(let company, let prefix):
            "data of company 0x\(hexadecimal(UInt64(company), 4))"
                + (prefix.isEmpty
                    ? ""
                    : " that begins with 0x" + prefix.map { hexadecimal(UInt64($0), 2) }.joined())
        case .anyService(let services): "service " + list(services.map(\.description), "or")
        case .allServices(let services): "service " + list(services.map(\.description), "and")
        case .oneOf(let filters): list(filters.map(\.operand), "or")
        case .not(let filter): filter.isEmpty ? "nothing" : "not \(filter.operand)"
        case .predicate: "a condition of the program"
        }
    }

    /// The description as an operand of `and`, `or` or `not`.
    var operand: String {
        if case .oneOf = self { "(\(description))" } else { description }
    }

    private func list(_ texts: [String], _ conjunction: String) -> String {
        texts.joined(separator: " \(conjunction) ")
    }

    private func hexadecimal(_ value: UInt64, _ digits: Int) -> String {
        Hexadecimal.text(value, digits: digits, isUppercase: true)
    }
}
