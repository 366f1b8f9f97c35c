import Bluejay
import BluejayAsync
import Foundation

/// Finds the one device that somebody means: among those that bluetoothd knows, else by a scan.
@MainActor
struct DeviceSearch {
    /// How long a scan goes on for others whose names begin alike, in seconds.
    private static let lookAround = 1.0

    private let bluejay: Bluejay
    private let argument: DeviceArgument

    init(_ bluejay: Bluejay, _ argument: DeviceArgument) {
        self.bluejay = bluejay
        self.argument = argument
    }

    /// Finds it.
    ///
    /// - Parameter seconds: For the scan.
    /// - Returns: What to connect to.
    /// - Throws: ``ToolFailure`` when nobody fits, or more than one does.
    func found(within seconds: Double) async throws -> PeripheralIdentifier {
        if let device = try await known() { return device }
        var seen: [PeripheralIdentifier] = []
        let isCertain = try await scan(for: seconds, into: &seen)
        // The name of the next one may begin in the same way.
        if !isCertain, !seen.isEmpty {
            _ = try await scan(for: min(Self.lookAround, seconds), into: &seen, isSecond: true)
        }
        if let device = try one(of: seen) { return device }
        // A name that came behind the first advertisement is known by now.
        if let device = try await known() { return device }
        throw ToolFailure(
            .noDevice,
            "no device \(argument) was found in \(seconds.formatted) s; "
                + "check that it is on and near, `bluejay scan` shows who is"
        )
    }

    /// The one that bluetoothd knows; nil when nobody fits.
    func known() async throws -> PeripheralIdentifier? {
        try one(of: try await bluejay.knownPeripherals().map(\.identifier))
    }

    /// Scans until somebody fits; the second time for all of the time, unless somebody fits exactly.
    ///
    /// - Returns: Whether somebody fits exactly.
    private func scan(
        for seconds: Double,
        into seen: inout [PeripheralIdentifier],
        isSecond: Bool = false
    ) async throws -> Bool {
        // Not each advertisement: then bluetoothd leaves out who has no signal strength, as the emulated
        // controllers do.
        let filter: ScanFilter =
            if case .address(let address) = argument { .address(address) } else { .everything }
        let discoveries = bluejay.scan(matching: filter, duration: seconds)
        for try await discovery in discoveries {
            let device = discovery.peripheralIdentifier
            let fit = argument.fit(device)
            guard fit > .notAtAll else { continue }
            seen.removeAll { $0 == device }
            seen.append(device)
            if fit == .exactly { return true }
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
            "\(argument) is more than one device: \(names); give the address"
        )
    }
}

extension Double {
    /// The number without a fraction of zero.
    var formatted: String { self == rounded() && abs(self) < 1e9 ? "\(Int(self))" : "\(self)" }
}
