internal import BluejayCore
public import FoundationEssentials

/// Which peripherals a scan is for.
///
/// Made of conditions, all of which a peripheral has to meet:
///
/// ```swift
/// bluejay.scan(matching: .namePrefix("Polar") && .minimumRSSI(-70)) { … }
/// ```
///
/// They are held against what bluetoothd knows of a peripheral, which it gathers from several
/// advertisements: who does not fit at first may fit when its name has come.
public struct ScanFilter: Hashable, Swift.Sendable {
    /// One thing that has to be so.
    enum Condition: Hashable {
        case name(String)
        case namePrefix(String)
        /// As the user wrote them.
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

    /// Everything that advertises.
    public static let everything = ScanFilter([])

    /// Peripherals with exactly this name.
    ///
    /// - Parameter name: Compared in the case in which it is written.
    /// - Returns: The filter.
    public static func name(_ name: String) -> ScanFilter {
        ScanFilter([.name(name)])
    }

    /// Peripherals with a name that begins so.
    ///
    /// - Parameter prefix: Compared byte by byte, in the case in which it is written; an empty one fits
    ///   every name, and nothing without a name.
    /// - Returns: The filter.
    public static func namePrefix(_ prefix: String) -> ScanFilter {
        ScanFilter([.namePrefix(prefix)])
    }

    /// The peripheral with an address, public or random.
    ///
    /// - Parameter address: Such as `C4:7C:8D:6A:1F:02`, in either case; with anything else the scan
    ///   fails with ``BluejayError/malformedAddress(_:)``.
    /// - Returns: The filter.
    public static func address(_ address: String) -> ScanFilter {
        ScanFilter([.addresses([address])])
    }

    /// The peripherals with one of these addresses.
    ///
    /// - Parameter addresses: As for ``address(_:)``; without one nothing fits.
    /// - Returns: The filter.
    public static func addresses(_ addresses: [String]) -> ScanFilter {
        ScanFilter([.addresses(addresses)])
    }

    /// Peripherals that are heard so well.
    ///
    /// What is of an unknown strength does not fit, nor does what is connected and does not advertise.
    ///
    /// - Parameter strength: In dBm, such as -70.
    /// - Returns: The filter.
    public static func minimumRSSI(_ strength: Int) -> ScanFilter {
        ScanFilter([.minimumRSSI(strength)])
    }

    /// Peripherals that advertise data of a company.
    ///
    /// - Parameters:
    ///   - company: Its assigned number, such as 0x004C.
    ///   - prefix: What the data begins with, behind the number; empty is any data.
    /// - Returns: The filter.
    public static func manufacturer(_ company: UInt16, prefix: Data = Data()) -> ScanFilter {
        ScanFilter([.manufacturer(company, prefix: prefix)])
    }

    /// Peripherals that advertise one of these services, or data of one.
    ///
    /// - Parameter services: Without one everything fits; with a malformed one the scan fails with
    ///   ``BluejayError/malformedUUID(_:)``.
    /// - Returns: The filter.
    public static func anyService(_ services: [ServiceIdentifier]) -> ScanFilter {
        ScanFilter(services.isEmpty ? [] : [.anyService(services)])
    }

    /// Peripherals that advertise each of these services, or data of it.
    ///
    /// - Parameter services: As for ``anyService(_:)``.
    /// - Returns: The filter.
    public static func allServices(_ services: [ServiceIdentifier]) -> ScanFilter {
        ScanFilter(services.isEmpty ? [] : [.allServices(services)])
    }

    /// Peripherals that fit both.
    public static func && (left: ScanFilter, right: ScanFilter) -> ScanFilter {
        ScanFilter(left.conditions + right.conditions)
    }

    /// Whether everything fits.
    public var isEmpty: Bool { conditions.isEmpty }

    /// Whether a discovery fits.
    ///
    /// - Parameter discovery: From a scan, or made for a test.
    /// - Returns: False when one of the conditions is not met.
    public func matches(_ discovery: ScanDiscovery) -> Bool {
        FilterMatcher(self).fits(discovery)
    }
}

extension ScanFilter: CustomStringConvertible {
    /// The conditions in words, such as `name "Polar…" and -70 dBm or more`; empty for everything.
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

    private func list(_ texts: [String], _ word: String) -> String {
        texts.joined(separator: " \(word) ")
    }

    private func hexadecimal(_ value: UInt64, _ digits: Int) -> String {
        Hexadecimal.text(value, digits: digits, isUppercase: true)
    }
}
