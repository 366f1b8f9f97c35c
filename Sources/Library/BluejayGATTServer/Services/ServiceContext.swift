internal import BluejayBlueZ

/// The subjects that the attributes of all services share.
struct ServiceContext {
    let client: BlueZClient
    let centrals: CentralTracker
    let requests: CentralRequestLimiter
    let log: Log
}
