internal import BluejayGLib

/// What the parts of one link share.
struct LinkContext {
    let client: BlueZClient
    let device: LinkDevice
    let executor: LinkExecutor
    let log: Log
}
