/// A version of Linux, such as 6.1.192.
package struct LinuxKernel: Hashable, Swift.Sendable {
    package let major: Int
    package let minor: Int
    /// The third number, or `nil` if the distribution does not name it.
    package let patch: Int?
    /// Debian's number of the kernel's binary interface: 56 in `6.1.0-56-amd64`.
    private let interfaceNumber: Int?

    /// Reads what `uname` reports.
    ///
    /// - Parameters:
    ///   - release: The release, such as `6.1.192` or Debian's `6.1.0-56-amd64`.
    ///   - build: The build, which names Debian's version: `#1 SMP Debian 6.1.192-2 (2026-11-16)`.
    package init?(release: String, build: String) {
        let numbers = Self.numbers(release)
        guard numbers.count >= 2 else { return nil }
        (major, minor) = (numbers[0], numbers[1])
        interfaceNumber = release.split(separator: "-").dropFirst().first.flatMap { Int($0) }
        let words = build.split(separator: " ")
        let version = words.firstIndex(of: "Debian").flatMap { words.dropFirst($0 + 1).first }
        // A rebuilt package has an epoch: `1:6.1.63-1+rpt1`.
        let debian = Self.numbers(version?.split(separator: ":").last ?? "")
        if debian.count >= 3, debian.starts(with: numbers.prefix(2)) {
            patch = debian[2]
        } else {
            // Distributions that count in another place leave the patch at 0.
            patch = numbers.count >= 3 && numbers[2] > 0 ? numbers[2] : nil
        }
    }

    private static func numbers(_ text: some StringProtocol) -> [Int] {
        let end = text.firstIndex { $0 != "." && !("0"..."9").contains($0) } ?? text.endIndex
        return text[..<end].split(separator: ".").compactMap { Int($0) }
    }
}

extension LinuxKernel {
    /// The last kernel of Linux 6.1 that is known not to crash: 8 of 8 attempts, with bluetoothd 5.66,
    /// 5.82 and 5.87.
    ///
    /// 6.1.192 crashed in 4 of 4 (`kernel BUG at lib/list_debug.c`, `hci_chan_del` below
    /// `l2cap_sock_release`). The change that is suspected, "Bluetooth: L2CAP: Fix UAF in channel timeout by
    /// holding conn ref", is in 6.1.183; no kernel is known to have a fix.
    private static let lastSafePatch = 176
    /// Debian's number of 6.1.176.
    private static let lastSafeInterfaceNumber = 50

    /// Whether `Disconnect` may end bluetoothd while a peripheral does not answer service discovery.
    package var crashesOnEarlyDisconnect: Bool {
        guard (major, minor) == (6, 1) else { return false }
        if let patch { return patch > Self.lastSafePatch }
        return interfaceNumber ?? .max > Self.lastSafeInterfaceNumber
    }
}

extension LinuxKernel: CustomStringConvertible {
    package var description: String {
        "\(major).\(minor)" + (patch.map { ".\($0)" } ?? "")
    }
}
