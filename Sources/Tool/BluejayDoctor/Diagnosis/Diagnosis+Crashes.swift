internal import BluejayBlueZ
internal import BluejayCore

extension Diagnosis {
    /// The crashes of this version of bluetoothd, or those a daemon that is not running may have had.
    static func crashes(_ evidence: Evidence) -> [Finding] {
        guard mayCrash(evidence) else { return [] }
        return knownCrashes.map { .note(.crashes, "known crash", $0) }
    }

    /// The first and the last version seen to crash; versions between them were not tested.
    private static let crashing = BlueZVersion(5, 66)...BlueZVersion(5, 82)

    private static let knownCrashes = [
        "`Disconnect` crashes bluetoothd 5.66 and 5.82 while a peripheral does not respond to service discovery; "
            + "this library waits for the response, at most 36 s; other programs may not",
        "bluetoothd 5.66 crashes 5 s after a request from a central whose link drops before the serving program "
            + "responds; a server that responds at once or holds its values avoids it",
    ]

    private static func mayCrash(_ evidence: Evidence) -> Bool {
        if let version = evidence.adapters.first?.adapter.bluezVersion {
            return crashing.contains(version)
        }
        let service = evidence.service
        let isOwn = !evidence.bus.isFromEnvironment && evidence.machine.container == nil
        let hasEnded = service.isInstalled && !service.isMasked && service.process == nil
        return evidence.bus.reachability == .daemonNotRunning && isOwn && hasEnded
            && evidence.machine.hasBluetooth
    }
}
