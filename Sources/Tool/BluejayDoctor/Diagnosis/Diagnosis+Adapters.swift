internal import BluejayBlueZ
internal import BluejayCore

// Checks of bluetoothd's properties.

extension Diagnosis {
    // MARK: bluetoothd

    static func version(_ evidence: Evidence) -> [Finding] {
        guard let adapter = evidence.adapters.first else { return [] }
        let title = "BlueZ"
        guard let version = adapter.adapter.bluezVersion else {
            let text = "\(adapter.adapter.name) does not report its version; the oldest is assumed"
            return [.warning(.version, title, text)]
        }
        guard version >= oldestVersion else {
            return [
                .trouble(
                    .version,
                    title,
                    "\(version) is older than \(oldestVersion)",
                    mend: "`sudo apt install bluez` from a newer release of the distribution"
                )
            ]
        }
        let later = limitations.filter { version < $0.since }.map { "\($0.text) (\($0.since))" }
        guard !later.isEmpty else { return [.good(.version, title, "\(version)")] }
        let text = "\(version); later versions " + later.joined(separator: ", ")
        return [.note(.version, title, text)]
    }

    private static let oldestVersion = BlueZVersion(5, 55)

    /// Features of later versions, to explain limits of this one.
    private static let limitations: [(since: BlueZVersion, text: String)] = [
        (.firstReportingBlockedAdapter, "distinguish a blocked adapter from one that is off"),
        (.firstReportingEachSubscriber, "report each subscriber to a server"),
        (.firstAddressingOneCentral, "notify a single central"),
    ]

    static func experimental(_ evidence: Evidence) -> [Finding] {
        guard evidence.isDaemonReachable, let first = evidence.adapters.first else { return [] }
        let title = "experimental features"
        let hasMonitors = evidence.adapters.contains {
            $0.adapter.features.contains(.advertisementMonitors)
        }
        var origins: [String] = []
        if evidence.service.isStartedExperimental { origins.append("bluetoothd's command line") }
        if evidence.service.isConfiguredExperimental { origins.append("main.conf") }
        let count = evidence.adapters.map(\.experimentalFeatures).max() ?? 0
        if count > 0 { origins.append("\(count) of the kernel at \(first.adapter.name)") }
        let origin = origins.isEmpty ? "" : " (" + origins.joined(separator: ", ") + ")"
        if hasMonitors {
            let text = "advertisement monitors available\(origin)"
            return [.good(.experimental, title, text)]
        }
        let text =
            "no advertisement monitors\(origin): a scan replaces them; bluetoothd offers "
            + "them with `--experimental`"
        return [.note(.experimental, title, text)]
    }

    // MARK: Adapters

    static func adapters(_ evidence: Evidence) -> [Finding] {
        guard evidence.isDaemonReachable else { return [] }
        guard !evidence.adapters.isEmpty else { return [missingAdapter(evidence)] }
        return evidence.adapters.map { adapter($0, evidence) }
    }

    private static func missingAdapter(_ evidence: Evidence) -> Finding {
        let title = "adapter"
        // Another finding reports the cause and its remedy.
        let isBlocked = evidence.machine.switches.contains(where: \.isBlocked)
        let isWithout = !evidence.machine.hasBluetooth && !evidence.bus.isFromEnvironment
        if isWithout || isBlocked {
            return .note(.adapter, title, "no adapter found")
        }
        return .trouble(
            .adapter,
            title,
            "no adapter found",
            mend:
                "plug one in, or pass it to the virtual machine; `lsusb` lists it if it is detected, and "
                + "`sudo dmesg | grep -i bluetooth` shows a missing driver or firmware"
        )
    }

    private static func adapter(_ adapter: AdapterEvidence, _ evidence: Evidence) -> Finding {
        let details = adapter.adapter
        let title = "adapter \(details.name)"
        let label = details.alias.isEmpty ? details.address : "\(details.address), \(details.alias)"
        guard details.isPowered else {
            let found = details.isBlocked ? "\(label), blocked by rfkill" : "\(label), off"
            let isReported = evidence.machine.switches.contains(where: \.isBlocked)
            if evidence.isAnyAdapterOn || isReported { return .note(.adapter, title, found) }
            return .trouble(.adapter, title, found, mend: remedyForPowerOff(adapter, evidence))
        }
        guard details.features.contains(.central) || details.features.contains(.peripheral) else {
            return withoutLowEnergy(title, label, evidence)
        }
        let abilities = abilities(adapter).joined(separator: ", ")
        return .good(.adapter, title, "\(label), on; \(abilities)")
    }

    private static func remedyForPowerOff(_ adapter: AdapterEvidence, _ evidence: Evidence)
        -> String
    {
        if adapter.adapter.isBlocked {
            return "`sudo rfkill unblock bluetooth`, then `bluetoothctl power on`"
        }
        return evidence.adapters.count == 1
            ? "`bluetoothctl power on`"
            : "in `bluetoothctl`: `select \(adapter.adapter.address)`, then `power on`"
    }

    private static func withoutLowEnergy(
        _ title: String,
        _ label: String,
        _ evidence: Evidence
    ) -> Finding {
        let found = "\(label), on, without Low Energy"
        let others = evidence.adapters.contains {
            $0.adapter.isPowered && !$0.adapter.features.isDisjoint(with: [.central, .peripheral])
        }
        if others { return .note(.adapter, title, found) }
        return .trouble(
            .adapter,
            title,
            found,
            mend: evidence.service.controllerMode == "bredr"
                ? "set `ControllerMode = dual` in /etc/bluetooth/main.conf, then `\(restart(evidence))`"
                : "use an adapter of Bluetooth 4.0 or later"
        )
    }

    private static func abilities(_ adapter: AdapterEvidence) -> [String] {
        let features = adapter.adapter.features
        var abilities: [String] = []
        if features.contains(.central) { abilities.append("central") }
        if features.contains(.peripheral) { abilities.append("peripheral") }
        if features.contains(.centralAndPeripheral) { abilities.append("both at once") }
        if features.contains(.advertising) {
            let kind = adapter.isExtended ? "Extended Advertising" : "advertises"
            abilities.append(adapter.availableInstances.map { "\(kind), room for \($0)" } ?? kind)
        }
        if features.contains(.advertisementMonitors) { abilities.append("monitors") }
        return abilities
    }

    // MARK: Activity

    static func discovery(_ evidence: Evidence) -> [Finding] {
        let scanned = evidence.adapters.filter { $0.adapter.isDiscoveringForOtherPrograms == true }
        return scanned.map { adapter in
            .note(
                .discovery,
                "scan",
                "another program is scanning with \(adapter.adapter.name), which slows connecting"
            )
        }
    }

    static func connected(_ evidence: Evidence) -> [Finding] {
        evidence.adapters.flatMap { adapter in
            adapter.connected.map { peripheral in
                let address = peripheral.identifier.address ?? "\(peripheral.identifier.uuid)"
                return .note(
                    .connected,
                    "connected",
                    "\(peripheral.name) (\(address)) on \(adapter.adapter.name); other devices "
                        + "and most programs do not find a connected peripheral, `bluejay scan` does"
                )
            }
        }
    }
}
