/// The delays of bluetoothd and the kernel, as recorded; the world's clock scales them.
enum RecordedDelays {
    /// From the start of a scan to its first report.
    static let report = Duration.milliseconds(2)
    /// Between two rounds of the kernel's scan: 10.24 s of scanning and a pause.
    static let scanCycle = Duration.milliseconds(15_240)
    /// Between two advertisements of one device.
    static let advertisingInterval = Duration.seconds(1)
    /// From the last advertisement of a temporary device to its removal.
    static let temporaryDevice = Duration.seconds(30)
    /// Until the kernel aborts a connection attempt.
    static let connect = Duration.seconds(41)
    /// From an advertisement to an open link.
    static let linkSetup = Duration.milliseconds(10)
    /// Until the services of a new and of a known device are resolved.
    static let resolveNew = Duration.milliseconds(150)
    static let resolveKnown = Duration.milliseconds(60)
    /// From `Disconnect` to the end of the link.
    static let disconnect = Duration.seconds(2)
    /// Until a request of the Attribute Protocol fails, and then until the link is dropped.
    static let attribute = Duration.seconds(30)
    static let afterAttribute = Duration.seconds(2)
    /// The time limit of an application for answering a request.
    static let application = Duration.seconds(5)
    /// One request on the radio.
    static let request = Duration.milliseconds(1)
    /// Until a peer has noticed added or removed services.
    static let serviceChange = Duration.milliseconds(5)
    /// Until bluetoothd has rediscovered the services that it just removed.
    static let rediscovery = Duration.milliseconds(20)
    /// Until the links of a killed daemon end, if no pairing was in progress.
    static let staleLink = Duration.milliseconds(100)
    /// A pairing without user interaction.
    static let pairing = Duration.milliseconds(100)
    /// A pairing without an agent.
    static let pairingWithoutAgent = Duration.milliseconds(180)
    /// Until the kernel aborts a pairing without progress.
    static let pairingTimeout = Duration.seconds(30)
    /// Until the kernel ends the link of a request whose pairing was refused, or had no agent.
    static let refusedPairing = Duration.seconds(31)
    /// Between two digits typed by a user.
    static let keypress = Duration.milliseconds(20)
    /// Turning an adapter on or off.
    static let power = Duration.milliseconds(3)
}
