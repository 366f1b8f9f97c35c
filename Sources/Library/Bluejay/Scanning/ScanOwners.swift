internal import BluejayGLib

/// The parts of an instance that its scans and watches use.
struct ScanOwners {
    let adapters: AdapterController
    let link: ConnectedLink
    let clock: any EventClock
    /// Connects to a discovery, after the scan or the watch has stopped.
    let connect: (ScanDiscovery, Timeout, @escaping (ConnectionResult) -> Void) -> Void
}
