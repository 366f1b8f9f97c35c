internal import BluejayBlueZ
internal import BluejayGATTServer
internal import BluejayGLib

/// The subjects that all centrals of a peripheral share.
struct PeripheralContext {
    let configuration: BleuConfiguration
    let server: GATTServer
    let tasks: LoopTasks
    let clock: any EventClock
    let log: Log
}
