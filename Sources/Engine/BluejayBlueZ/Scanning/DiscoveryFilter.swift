package import BluejayCore

/// The devices and reports that a scan requests.
package struct DiscoveryFilter: Equatable {
    /// Services of which a device must have at least one; `nil` matches every device.
    package var services: Set<BluetoothUUID>?
    /// Whether unchanged advertisements are reported, too.
    package var reportsDuplicates: Bool
    /// In dBm: weaker devices may be omitted, and each RSSI change of stronger ones is reported; `nil`
    /// uses bluetoothd's default.
    package var minimumRSSI: Int?
    /// Whether connected devices, which may not advertise, are reported when the scan starts.
    package var includesConnected: Bool

    /// Creates a filter.
    ///
    /// - Parameters:
    ///   - services: Services of which a device must have at least one; `nil` matches every device.
    ///   - reportsDuplicates: Whether unchanged advertisements are reported, too.
    ///   - minimumRSSI: The signal strength in dBm below which devices may be omitted.
    ///   - includesConnected: Whether connected devices are reported; `nil` excludes them from a scan for
    ///     every device, which would report keyboards and the like.
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

extension DiscoveryStateMachine.MergedFilter {
    /// The signal strengths that bluetoothd accepts, in dBm.
    private static let rssiRange = -127...20

    /// Creates the narrowest filter that covers all scans; each scan filters again.
    ///
    /// - Parameter filters: The filters of all scans.
    package init(for filters: [DiscoveryFilter]) {
        reportsDuplicates = filters.contains(where: \.reportsDuplicates)
        // bluetoothd signals every RSSI change only if the filter has a signal strength. Without one, a
        // device with a steady signal falls silent, and an approaching device is reported late.
        let needsRSSI = filters.contains { $0.reportsDuplicates || $0.minimumRSSI != nil }
        let least = filters.map { $0.minimumRSSI ?? Self.rssiRange.lowerBound }.min()
        minimumRSSI =
            needsRSSI
            ? least.map { max(Self.rssiRange.lowerBound, min(Self.rssiRange.upperBound, $0)) } : nil
    }
}
