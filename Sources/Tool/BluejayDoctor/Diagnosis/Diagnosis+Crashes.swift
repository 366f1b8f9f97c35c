internal import BluejayBlueZ
internal import BluejayCore

extension Diagnosis {
    /// The known crashes of this kernel and this version of bluetoothd, or those a daemon that is not running
    /// may have had.
    static func crashes(_ evidence: Evidence) -> [Finding] {
        guard mayCrash(evidence) else { return [] }
        var found: [Finding] = []
        if let crash = earlyDisconnect(evidence.machine) {
            found.append(.warning(.crashes, "known crash", crash))
        }
        // An adapter that does not report its version counts as the oldest one.
        let version = evidence.adapters.first?.adapter.bluezVersion
        if evidence.adapters.isEmpty || version.map({ $0 >= firstCrashing }) == true {
            found.append(.note(.crashes, "known crash", heldRequest))
        }
        return found
    }

    /// The first version seen to crash during a held request.
    ///
    /// 5.82 and 5.87 crash as well; an untested version counts as affected.
    private static let firstCrashing = BlueZVersion(5, 66)

    private static let heldRequest =
        "bluetoothd 5.66 and later (seen up to 5.87) crashes 5 s after a request from a central whose link drops "
        + "before the serving program responds; a server that responds at once or holds its values avoids it"

    private static func earlyDisconnect(_ machine: MachineEvidence) -> String? {
        guard let release = machine.kernel else { return nil }
        let kernel = LinuxKernel(release: release, build: machine.kernelBuild ?? "")
        guard kernel?.crashesOnEarlyDisconnect ?? true else { return nil }
        return
            "kernel \(kernel.map { "\($0)" } ?? release): `Disconnect` while a peripheral does not respond to service "
            + "discovery may end bluetoothd (hci_chan_del); this library waits for the response, at most 36 s; other "
            + "programs may not; boot Linux 6.1.176 (Debian 12: linux-image-6.1.0-50) or a kernel of another line"
    }

    private static func mayCrash(_ evidence: Evidence) -> Bool {
        guard evidence.adapters.isEmpty else { return true }
        let service = evidence.service
        let isOwn = !evidence.bus.isFromEnvironment && evidence.machine.container == nil
        let hasEnded = service.isInstalled && !service.isMasked && service.process == nil
        return evidence.bus.reachability == .daemonNotRunning && isOwn && hasEnded
            && evidence.machine.hasBluetooth
    }
}
