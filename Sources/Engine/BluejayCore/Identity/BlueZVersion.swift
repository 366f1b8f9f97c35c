/// A version of BlueZ, such as 5.66.
public struct BlueZVersion: Hashable, Swift.Sendable {
    /// The number before the point.
    public let major: Int

    /// The number behind the point.
    public let minor: Int

    /// Makes a version to compare with.
    public init(_ major: Int, _ minor: Int) {
        self.major = major
        self.minor = minor
    }

    /// Reads the `Modalias` of an adapter, such as `usb:v1D6Bp0246d0542` for 5.66.
    ///
    /// Anything else is refused: another vendor or product is what the administrator wrote into
    /// `main.conf`, and says nothing of BlueZ.
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

// What BlueZ can do, and since which version.
extension BlueZVersion {
    /// Tells an adapter that is blocked from one that is off.
    package static let firstReportingBlockedAdapter = BlueZVersion(5, 66)
    /// Gives each subscribed central a socket, rather than the first one only.
    package static let firstReportingEachSubscriber = BlueZVersion(5, 70)
    /// Delivers a value on a socket to its central only.
    package static let firstAddressingOneCentral = BlueZVersion(5, 76)

    /// Whether a server learns of each subscribed central, rather than of the first one only.
    package var reportsEachSubscriber: Bool { self >= Self.firstReportingEachSubscriber }
    /// Whether a server can send a value to one of several subscribed centrals.
    package var addressesOneCentral: Bool { self >= Self.firstAddressingOneCentral }
}

extension BlueZVersion: Comparable {
    /// Compares the numbers before the points first: 5.9 is older than 5.66.
    public static func < (left: BlueZVersion, right: BlueZVersion) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }
}

extension BlueZVersion: CustomStringConvertible {
    /// Such as `5.66`.
    public var description: String { "\(major).\(minor)" }
}
