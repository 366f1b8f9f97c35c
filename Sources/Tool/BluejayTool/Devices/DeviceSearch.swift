import Bluejay
import BluejayAsync
import Foundation

/// Finds the one device that matches an argument: a device known to bluetoothd, or one found by a scan.
@MainActor
struct DeviceSearch {
    /// The time, in seconds, to continue a scan for other names with the same beginning.
    private static let additionalScanTime = 1.0

    private let bluejay: Bluejay
    private let argument: DeviceArgument

    init(_ bluejay: Bluejay, _ argument: DeviceArgument) {
        self.bluejay = bluejay
        self.argument = argument
    }

    /// Finds the device, scanning for this time if necessary.
    ///
    /// - Throws: ``ToolFailure`` if none or several devices match.
    func find(within seconds: Double) async throws -> PeripheralIdentifier {
        if let device = try await known() { return device }
        var seen: [PeripheralIdentifier] = []
        let isCertain = try await scan(for: seconds, into: &seen)
        // Another device's name may have the same beginning.
        if !isCertain, !seen.isEmpty {
            _ = try await scan(
                for: min(Self.additionalScanTime, seconds),
                into: &seen,
                isSecond: true
            )
        }
        if let device = try one(of: seen) { return device }
        // bluetoothd now knows names that arrived after the first advertisement.
        if let device = try await known() { return device }
        throw ToolFailure(
            .noDevice,
            "device \(argument) not found within \(seconds.formatted) s; "
                + "check that it is on and in range; `bluejay scan` lists the devices"
        )
    }

    /// Returns the match among the devices that bluetoothd knows, or `nil`.
    func known() async throws -> PeripheralIdentifier? {
        try one(of: try await bluejay.knownPeripherals().map(\.identifier))
    }

    /// Scans until a device matches; the second scan ends early only for an exact match.
    ///
    /// - Returns: Whether a device matches exactly.
    private func scan(
        for seconds: Double,
        into seen: inout [PeripheralIdentifier],
        isSecond: Bool = false
    ) async throws -> Bool {
        // No duplicates: when asked for them, bluetoothd omits devices without a signal strength, which
        // emulated controllers do not report.
        let filter: ScanFilter =
            if case .address(let address) = argument { .address(address) } else { .everything }
        let discoveries = bluejay.scan(matching: filter, duration: seconds)
        for try await discovery in discoveries {
            let device = discovery.peripheralIdentifier
            let fit = argument.matchQuality(device)
            guard fit > .noMatch else { continue }
            seen.removeAll { $0 == device }
            seen.append(device)
            if fit == .exact { return true }
            if !isSecond { return false }
        }
        return false
    }

    private func one(of devices: [PeripheralIdentifier]) throws -> PeripheralIdentifier? {
        let best = argument.best(of: devices)
        guard best.count > 1 else { return best.first }
        let names = best.map(\.shown).joined(separator: ", ")
        throw ToolFailure(
            .noDevice,
            "\(argument) is ambiguous: \(names); specify the address"
        )
    }
}

extension Double {
    /// The number, without a zero fraction.
    var formatted: String { self == rounded() && abs(self) < 1e9 ? "\(Int(self))" : "\(self)" }
}
