internal import BluejayBlueZ
internal import BluejayGLib

/// The subjects that all parts of a server share.
struct ServerContext {
    let handlers = ServerHandlers()
    /// The state for any thread, updated before the callbacks that report it.
    let publicState = LockedValue(ServerState())
    let log: Log
}
