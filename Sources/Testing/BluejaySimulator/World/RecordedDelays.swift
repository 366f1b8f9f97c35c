/// The waits of bluetoothd and the kernel, as recorded; the world's clock scales them.
enum RecordedDelays {
    /// Until a first advertisement of a scan is told.
    static let report = Duration.milliseconds(2)
    /// Between two rounds of the kernel's scan: 10.24 s of scanning and a pause.
    static let scanCycle = Duration.milliseconds(15_240)
    /// Between two advertisements of one device.
    static let advertisingInterval = Duration.seconds(1)
    /// Until a device that nothing keeps is dropped after it was last seen.
    static let temporaryDevice = Duration.seconds(30)
    /// Until the kernel gives up connecting.
    static let connect = Duration.seconds(41)
    /// Until a link to a peer that advertises is up.
    static let linkSetup = Duration.milliseconds(10)
    /// Until the services of a new and of a known device are resolved.
    static let resolveNew = Duration.milliseconds(150)
    static let resolveKnown = Duration.milliseconds(60)
    /// What `Disconnect` waits before it drops the link.
    static let disconnect = Duration.seconds(2)
    /// Until a request of the Attribute Protocol has failed, and then until the link is dropped.
    static let attribute = Duration.seconds(30)
    static let afterAttribute = Duration.seconds(2)
    /// Until an application that serves an attribute has to have answered.
    static let application = Duration.seconds(5)
    /// One request on the radio.
    static let request = Duration.milliseconds(1)
    /// Until a peer has noticed that services were added or removed.
    static let serviceChange = Duration.milliseconds(5)
    /// Until bluetoothd has discovered anew what it has just thrown away.
    static let rediscovery = Duration.milliseconds(20)
    /// Until the links of a daemon that was killed have gone, when no pairing was under way.
    static let staleLink = Duration.milliseconds(100)
    /// A pairing that needs nobody.
    static let pairing = Duration.milliseconds(100)
    /// A pairing that nobody can answer.
    static let pairingWithoutAgent = Duration.milliseconds(180)
    /// Until the kernel gives a pairing up in which nothing happens.
    static let pairingLimit = Duration.seconds(30)
    /// Between two digits that somebody types.
    static let keypress = Duration.milliseconds(20)
    /// Switching an adapter on or off.
    static let power = Duration.milliseconds(3)
}
