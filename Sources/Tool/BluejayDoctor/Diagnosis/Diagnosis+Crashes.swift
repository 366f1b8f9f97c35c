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
        "`Disconnect` of a peripheral that leaves the discovery of its services unanswered ends bluetoothd (seen "
            + "with 5.66 and 5.82); this library waits for the answer or 36 s, other programs may not",
        "a central whose link drops while its request waits for a program that serves ends bluetoothd 5 s after "
            + "the request (seen with 5.66); such a program answers at once, or holds its values",
    ]

    private static func mayCrash(_ evidence: Evidence) -> Bool {
        if let version = evidence.adapters.first?.facts.bluezVersion {
            return crashing.contains(version)
        }
        let service = evidence.service
        let isOwn = !evidence.bus.isGiven && evidence.machine.container == nil
        let hasEnded = service.isInstalled && !service.isMasked && service.process == nil
        return evidence.bus.reach == .noDaemon && isOwn && hasEnded && evidence.machine.hasBluetooth
    }
}
