internal import BluejayBlueZ
internal import BluejayCore

/// Derives findings from evidence, without side effects.
package enum Diagnosis {
    /// Returns the findings, from the machine upwards; each cause is reported as one trouble.
    package static func findings(_ evidence: Evidence) -> [Finding] {
        [
            container(evidence), kernel(evidence), bluetooth(evidence), rfkill(evidence),
            bus(evidence), daemon(evidence), permissions(evidence), version(evidence),
            experimental(evidence), adapters(evidence), discovery(evidence),
            connected(evidence), crashes(evidence), simulator(evidence),
        ].flatMap { $0 }
    }

    // MARK: The machine

    private static func container(_ evidence: Evidence) -> [Finding] {
        guard let kind = evidence.machine.container else { return [] }
        let title = "container"
        if case .busUnreachable = evidence.bus.reachability {
            let text = "\(kind) without a mounted system bus"
            return [.note(.container, title, text)]
        }
        return [.good(.container, title, "\(kind) with access to a bus")]
    }

    private static func kernel(_ evidence: Evidence) -> [Finding] {
        guard let release = evidence.machine.kernel else { return [] }
        let numbers = release.split { !$0.isNumber }.prefix(2).compactMap { Int($0) }
        guard numbers.count == 2, (numbers[0], numbers[1]) < (4, 19) else {
            return [.good(.kernel, "kernel", "Linux \(release)")]
        }
        let text = "Linux \(release) is older than 4.19, the oldest tested version"
        return [.warning(.kernel, "kernel", text)]
    }

    // An adapter in bluetoothd implies Bluetooth in its kernel, which may be simulated or another machine's.
    private static func bluetooth(_ evidence: Evidence) -> [Finding] {
        let title = "Bluetooth in the kernel"
        if evidence.machine.hasBluetooth { return [.good(.kernel, title, "loaded")] }
        guard evidence.adapters.isEmpty else { return [] }
        // A given bus may belong to another machine.
        if evidence.bus.isFromEnvironment {
            let text = "missing; required unless bluetoothd runs on another machine"
            return [.note(.kernel, title, text)]
        }
        return [
            .trouble(
                .kernel,
                title,
                "missing: /sys/module/bluetooth does not exist",
                mend: evidence.machine.container == nil
                    ? "`sudo modprobe btusb` loads it for a USB adapter; a kernel without the "
                        + "module, as in many virtual machines, must be replaced"
                    : "load it on the host, for a USB adapter with `sudo modprobe btusb`"
            )
        ]
    }

    private static func rfkill(_ evidence: Evidence) -> [Finding] {
        let title = "rfkill"
        let blocked = evidence.machine.switches.filter(\.isBlocked)
        guard !blocked.isEmpty else {
            let text = "no Bluetooth blocked"
            return evidence.machine.switches.isEmpty ? [] : [.good(.rfkill, title, text)]
        }
        return [
            rfkill(blocked.filter(\.isHardBlocked), byHand: true, evidence),
            rfkill(blocked.filter { !$0.isHardBlocked }, byHand: false, evidence),
        ].compactMap { $0 }
    }

    private static func rfkill(
        _ blocked: [RfkillSwitch],
        byHand isByHand: Bool,
        _ evidence: Evidence
    ) -> Finding? {
        guard !blocked.isEmpty else { return nil }
        let names = blocked.map(\.name).joined(separator: " and ")
        let how = isByHand ? "a hardware switch or key blocks" : "software blocks"
        let found = "\(how) \(names)"
        guard !evidence.isAnyAdapterOn else { return .note(.rfkill, "rfkill", found) }
        return .trouble(
            .rfkill,
            "rfkill",
            found,
            mend: isByHand
                ? "use that switch or key; software cannot unblock it"
                : "`sudo rfkill unblock bluetooth`, then `bluetoothctl power on`"
        )
    }

    // MARK: Tests without Bluetooth

    private static func simulator(_ evidence: Evidence) -> [Finding] {
        guard !evidence.machine.hasBusProgram else {
            return [.good(.simulator, "simulated BlueZ", "dbus-daemon found")]
        }
        let text = "requires dbus-daemon, which is not in PATH (`sudo apt install dbus`)"
        return [.note(.simulator, "simulated BlueZ", text)]
    }
}

extension Evidence {
    /// Whether an adapter is powered on.
    var isAnyAdapterOn: Bool { adapters.contains(where: \.adapter.isPowered) }

    var isDaemonReachable: Bool { bus.reachability == .reachable }
}
