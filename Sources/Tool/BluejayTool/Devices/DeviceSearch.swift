import Bluejay
import BluejayAsync
import Foundation

/// Finds the one device that matches an argument: a device known to bluetoothd, or one found by a scan.
@MainActor
struct DeviceSearch {
    /// The time, in seconds, to continue a scan for other devices with the same name or beginning.
    private static let additionalScanTime = 1.0

    private let bluejay: Bluejay
    private let argument: DeviceArgument
    private let use: DeviceArgument.Use

    init(_ bluejay: Bluejay, _ argument: DeviceArgument, for use: DeviceArgument.Use) {
        self.bluejay = bluejay
        self.argument = argument
        self.use = use
    }

    /// Finds the device, scanning for this time if necessary.
    ///
    /// - Throws: ``ToolFailure`` if none or several devices match.
    func find(within seconds: Double) async throws -> PeripheralIdentifier {
        var seen = try await matchesOfKnown()
        if !isNameToChange, let device = try one(of: seen) { return device }
        if try one(of: seen) == nil {
            try await scan(for: seconds, until: use.lowestMatch, into: &seen)
        }
        // Another device's name may be the same, or have the same beginning.
        if isNameToChange || !hasExactMatch(seen), try one(of: seen) != nil {
            try await scan(
                for: min(Self.additionalScanTime, seconds),
                until: isNameToChange ? nil : .exact,
                into: &seen
            )
        }
        if !isNameToChange, let device = try one(of: seen) { return device }
        // bluetoothd now knows names that arrived after the first advertisement.
        for device in try await matchesOfKnown() { add(device, to: &seen) }
        if let device = try one(of: seen) { return device }
        throw ToolFailure(
            .noDevice,
            "device \(argument) not found within \(seconds.formatted) s; "
                + (remedy(for: seen)
                    ?? "check that it is on and in range; `bluejay scan` lists the devices")
        )
    }

    /// Returns the match among the devices that bluetoothd knows.
    ///
    /// - Throws: ``ToolFailure`` if none or several devices match.
    func known() async throws -> PeripheralIdentifier {
        let matches = try await matchesOfKnown()
        if let device = try one(of: matches) { return device }
        throw ToolFailure(
            .noDevice,
            "unknown device \(argument); "
                + (remedy(for: matches) ?? "`bluejay scan` lists the devices in range")
        )
    }

    // A name is not unique, so a change also needs a search for a second device that has it.
    private var isNameToChange: Bool {
        if case .name = argument { use == .changing } else { false }
    }

    private func matchesOfKnown() async throws -> [PeripheralIdentifier] {
        try await bluejay.knownPeripherals().map(\.identifier)
            .filter { argument.matchQuality($0) > .noMatch }
    }

    /// Scans until a device matches with this quality; `nil` scans for the whole time.
    private func scan(
        for seconds: Double,
        until quality: DeviceArgument.MatchQuality?,
        into seen: inout [PeripheralIdentifier]
    ) async throws {
        // No duplicates: when asked for them, bluetoothd omits devices without a signal strength, which
        // emulated controllers do not report.
        let filter: ScanFilter =
            if case .address(let address) = argument { .address(address) } else { .everything }
        let discoveries = bluejay.scan(matching: filter, duration: seconds)
        for try await discovery in discoveries {
            let device = discovery.peripheralIdentifier
            let fit = argument.matchQuality(device)
            guard fit > .noMatch else { continue }
            add(device, to: &seen)
            if let quality, fit >= quality { return }
        }
    }

    private func add(_ device: PeripheralIdentifier, to seen: inout [PeripheralIdentifier]) {
        seen.removeAll { $0 == device }
        seen.append(device)
    }

    private func hasExactMatch(_ devices: [PeripheralIdentifier]) -> Bool {
        devices.contains { argument.matchQuality($0) == .exact }
    }

    private func one(of devices: [PeripheralIdentifier]) throws -> PeripheralIdentifier? {
        let best = argument.best(of: devices, for: use)
        guard best.count > 1 else { return best.first }
        throw ToolFailure(
            .noDevice,
            "\(argument) is ambiguous: \(Self.list(best)); specify the address"
        )
    }

    /// Returns the remedy if the search found only devices with a similar name, and `nil` otherwise.
    private func remedy(for similar: [PeripheralIdentifier]) -> String? {
        guard !similar.isEmpty else { return nil }
        return "similar: \(Self.list(similar)); specify the whole name or the address"
    }

    private static func list(_ devices: [PeripheralIdentifier]) -> String {
        devices.map(\.displayText).joined(separator: ", ")
    }
}

extension Double {
    /// The number, without a zero fraction.
    var formatted: String { self == rounded() && abs(self) < 1e9 ? "\(Int(self))" : "\(self)" }
}
