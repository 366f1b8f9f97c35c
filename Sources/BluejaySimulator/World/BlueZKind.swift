internal import BluejayDBus

/// Which bluetoothd is simulated.
public enum BlueZKind: String, CaseIterable, Swift.Sendable {
    /// Debian 12's.
    case v5_66 = "5.66"
    /// A newer one; what differs is in the members of this type.
    case v5_86 = "5.86"
}

extension BlueZKind {
    /// What `Connect` answers while another one is pending.
    var connectingAlready: BusError {
        switch self {
        case .v5_66: BlueZError.failed("Operation already in progress")
        case .v5_86: BlueZError.inProgress
        }
    }

    /// Whether `Disconnect` is answered before `Connected` becomes false.
    var repliesBeforeDisconnected: Bool { self == .v5_66 }
    /// Whether a device tells why its link ended.
    var tellsReason: Bool { self == .v5_86 }
    /// Whether the services that bluetoothd uses itself are shown, to be read and not to be written.
    ///
    /// `ExportClaimedServices` of main.conf, from 5.80; its default is read-only.
    var exportsClaimedServices: Bool { self == .v5_86 }
    /// Whether characteristics have the property `Handle`.
    var hasHandles: Bool { self == .v5_86 }
    /// How many requests go on at once with a peer of the same kind (Enhanced ATT).
    var bearerCount: Int { self == .v5_66 ? 3 : 1 }
    /// Whether pairing a paired device is refused; it waits for the end of the link otherwise.
    var refusesSecondPairing: Bool { self == .v5_86 }

    /// The name of an adapter that nobody named.
    var adapterName: String { "BlueZ \(rawValue)" }
    /// `Modalias` of the adapters.
    var modalias: String {
        switch self {
        case .v5_66: "usb:v1D6Bp0246d0542"
        case .v5_86: "usb:v1D6Bp0246d0556"
        }
    }
}

/// The waits of bluetoothd and the kernel, as recorded; the world's clock scales them.
enum Waits {
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
    /// One request on the radio.
    static let request = Duration.milliseconds(1)
    /// Until a peer has noticed that services were added or removed.
    static let serviceChange = Duration.milliseconds(5)
    /// Until a new daemon has cut the links of one that was killed.
    static let staleLink = Duration.milliseconds(100)
    /// A pairing that needs nobody.
    static let pairing = Duration.milliseconds(100)
    /// A pairing that nobody can answer.
    static let pairingWithoutAgent = Duration.milliseconds(180)
    /// Switching an adapter on or off.
    static let power = Duration.milliseconds(3)
}
