package import Testing

/// A fault outside the program.
///
/// `.ci/reliability.txt` has the texts of each fault for the pages in `Documentation/Reliability`.
package enum FaultKind {
    case linkLost, outOfRange, silent, servicesChange
    case bluetoothOff, unplugged
    case daemonKilled, daemonHangs, busLost
    case otherDisconnects, programKilled
}

/// The activity that a fault interrupts.
package enum Moment {
    case scan, connect, discovery, read, write, listen, backgroundTask
    case advertising, servedRead, channel, pairing, reconnectPause
}

/// Names the faults that a test covers and what they interrupt, for `.ci/reliability`.
package struct FaultTrait: TestTrait {
    package let faults: [FaultKind]
    package let moments: [Moment]
}

extension Trait where Self == FaultTrait {
    /// The test shows what the program receives if each of these faults interrupts each of these activities.
    package static func fault(_ faults: FaultKind..., during moments: Moment...) -> Self {
        Self(faults: faults, moments: moments)
    }
}
