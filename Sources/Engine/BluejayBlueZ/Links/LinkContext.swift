internal import BluejayGLib

/// The objects that all parts of one link use.
struct LinkContext {
    let client: BlueZClient
    let device: LinkDevice
    let executor: LinkExecutor
    let log: Log
}
