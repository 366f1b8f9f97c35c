package import BluejayCore

/// What somebody who scans wants to hear of.
package struct ScanWish: Equatable {
    /// Devices that have one of them; nil is every device.
    package var services: Set<BluetoothUUID>?
    /// Whether every advertisement is reported, changed or not.
    package var reportsDuplicates: Bool
    /// In dBm: weaker ones need not be reported, and each change of what is stronger is; nil is as
    /// bluetoothd does by itself.
    package var minimumRSSI: Int?
    /// Whether a device that is connected, and need not advertise, is reported at the beginning.
    package var includesConnected: Bool

    /// Makes a wish.
    ///
    /// - Parameters:
    ///   - services: Devices that have one of them; nil is every device.
    ///   - reportsDuplicates: Whether every advertisement is reported.
    ///   - minimumRSSI: What need not be reported, in dBm.
    ///   - includesConnected: Whether devices that are connected are reported; nil is when there are
    ///     services: who looks for every device, which may be a keyboard, hears nothing of these.
    package init(
        services: Set<BluetoothUUID>? = nil,
        reportsDuplicates: Bool = false,
        minimumRSSI: Int? = nil,
        includesConnected: Bool? = nil
    ) {
        self.services = services
        self.reportsDuplicates = reportsDuplicates
        self.minimumRSSI = minimumRSSI
        self.includesConnected = includesConnected ?? (services != nil)
    }
}

extension DiscoveryStateMachine.Filter {
    /// What bluetoothd takes as a strength, in dBm.
    private static let strengths = -127...20

    /// What shows everybody all that they want; each has to look at it again.
    ///
    /// - Parameter wishes: Of everybody who scans.
    package init(for wishes: [ScanWish]) {
        reportsDuplicates = wishes.contains(where: \.reportsDuplicates)
        // Only a filter with a signal strength makes bluetoothd signal every change of it; without,
        // a device with a steady one falls silent, and one that comes nearer is not told in time.
        let asksForStrength = wishes.contains { $0.reportsDuplicates || $0.minimumRSSI != nil }
        let least = wishes.map { $0.minimumRSSI ?? Self.strengths.lowerBound }.min()
        minimumRSSI =
            asksForStrength
            ? least.map { max(Self.strengths.lowerBound, min(Self.strengths.upperBound, $0)) } : nil
    }
}
