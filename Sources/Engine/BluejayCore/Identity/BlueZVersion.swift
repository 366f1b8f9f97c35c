/// A version of BlueZ, such as 5.66.
public struct BlueZVersion: Hashable, Swift.Sendable {
    /// The number before the point.
    public let major: Int

    /// The number after the point.
    public let minor: Int

    /// Creates a version for comparison.
    public init(_ major: Int, _ minor: Int) {
        self.major = major
        self.minor = minor
    }

    /// Reads the `Modalias` of an adapter, such as `usb:v1D6Bp0246d0542` for 5.66.
    ///
    /// Any other vendor or product fails: it was set in `main.conf`, and its version is not that of
    /// BlueZ.
    package init?(modalias: String) {
        let beginning = "usb:v1d6bp0246d"
        let text = modalias.lowercased()
        guard text.utf8.count == beginning.utf8.count + 4, text.hasPrefix(beginning),
            text.utf8.suffix(4).allSatisfy({ Hexadecimal.value($0) != nil }),
            let number = UInt16(text.suffix(4), radix: 16)
        else { return nil }
        self.init(Int(number >> 8), Int(number & 0xFF))
    }
}

// The BlueZ features that depend on the version.
extension BlueZVersion {
    /// Distinguishes a blocked adapter from one that is off.
    package static let firstReportingBlockedAdapter = BlueZVersion(5, 66)
    /// Gives each subscribed central a socket, rather than the first one only.
    package static let firstReportingEachSubscriber = BlueZVersion(5, 70)
    /// Delivers a value on a socket to its central only.
    package static let firstAddressingOneCentral = BlueZVersion(5, 76)

    /// Whether a server is notified of each subscribed central, rather than of the first one only.
    package var reportsEachSubscriber: Bool { self >= Self.firstReportingEachSubscriber }
    /// Whether a server can send a value to one of several subscribed centrals.
    package var addressesOneCentral: Bool { self >= Self.firstAddressingOneCentral }
}

extension BlueZVersion: Comparable {
    /// Compares the major numbers first, then the minor ones: 5.9 is older than 5.66.
    public static func < (left: BlueZVersion, right: BlueZVersion) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }
}

extension BlueZVersion: CustomStringConvertible {
    /// The version, such as `5.66`.
    public var description: String { "\(major).\(minor)" }
}
