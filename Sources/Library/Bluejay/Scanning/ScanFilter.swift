internal import BluejayCore
public import FoundationEssentials

/// The conditions for peripherals of a scan.
///
/// A peripheral must meet all conditions:
///
/// ```swift
/// bluejay.scan(matching: .namePrefix("Polar") && .minimumRSSI(-70)) { … }
/// ```
///
/// The conditions apply to bluetoothd's knowledge of a peripheral, which it gathers from several
/// advertisements: a peripheral may match only after its name has arrived.
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
    }

    /// In the order in which they were written.
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

    /// The addresses of which a peripheral must have one.
    var wantedAddresses: [String] {
        conditions.flatMap { condition -> [String] in
            guard case .addresses(let addresses) = condition else { return [] }
            return addresses
        }
    }

    /// Whether the filter matches everything.
    public var isEmpty: Bool { conditions.isEmpty }

    /// Returns whether a discovery matches.
    ///
    /// - Parameter discovery: A discovery from a scan, or created for a test.
    /// - Returns: False if a condition is not met.
    public func matches(_ discovery: ScanDiscovery) -> Bool {
        FilterMatcher(self).matches(discovery)
    }
}

extension ScanFilter: CustomStringConvertible {
    /// The conditions as text, such as `name "Polar…" and -70 dBm or more`; empty for everything.
    public var description: String {
        conditions.map(\.description).joined(separator: " and ")
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
        }
    }

    private func list(_ texts: [String], _ conjunction: String) -> String {
        texts.joined(separator: " \(conjunction) ")
    }

    private func hexadecimal(_ value: UInt64, _ digits: Int) -> String {
        Hexadecimal.text(value, digits: digits, isUppercase: true)
    }
}
