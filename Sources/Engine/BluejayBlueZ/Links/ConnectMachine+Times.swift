/// How often an attempt is made, and how long each step may take.
extension ConnectMachine {
    /// Quick failures in a row that end it.
    static let attemptLimit = 3
    /// An attempt that took longer met a silent peer rather than a fault, and does not count.
    static let silence = Duration.seconds(15)
    /// How long `Connected` may lag behind the reply of `Connect`.
    static let settleTime = Duration.seconds(1)
    /// How long a link may take to resolve its services; bluetoothd itself gives up after 30 s.
    static let resolveTime = Duration.seconds(45)
    /// How long a discovery may be unanswered: 30 s of ATT, and a margin.
    ///
    /// `Disconnect` before that crashes bluetoothd 5.66 and 5.82.
    static let discoveryTime = Duration.seconds(36)
    /// Services that are resolved later than this, and are none, are a discovery that failed; so are those
    /// of a link that was taken over during its discovery.
    static let emptyTime = Duration.seconds(25)
    /// What bluetoothd waits before it ends a link, and a margin.
    static let outlastTime = Duration.milliseconds(2500)
    /// How long the end of a link is waited for.
    static let partingTime = Duration.seconds(5)
    /// How long the kernel mostly takes to end the link of a bluetoothd that was killed, and a margin.
    static let staleTime = Duration.seconds(1)
    static let objectWait = Duration.milliseconds(200)
    /// How often it is tried again while another program's attempt is under way.
    static let yieldTime = Duration.seconds(1)
    /// How long another program's attempt is waited for; bluetoothd gives one up after 41 s.
    static let yieldLimit = Duration.seconds(60)
}
