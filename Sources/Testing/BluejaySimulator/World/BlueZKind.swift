internal import BluejayDBus

/// Which bluetoothd is simulated.
///
/// 5.66 and 5.86 were recorded. The others differ from the older one of these in what BlueZ's
/// change log and sources say, and are taken to be like it in the rest.
public enum BlueZKind: String, CaseIterable, Swift.Sendable {
    /// Debian 11's.
    case v5_55 = "5.55"
    /// Debian 12's.
    case v5_66 = "5.66"
    /// Ubuntu 24.04's.
    case v5_72 = "5.72"
    /// The first that notifies one central only.
    case v5_76 = "5.76"
    /// A newer one; what differs is in the members of this type.
    case v5_86 = "5.86"
}

extension BlueZKind {
    /// The number behind the point.
    var minor: Int {
        switch self {
        case .v5_55: 55
        case .v5_66: 66
        case .v5_72: 72
        case .v5_76: 76
        case .v5_86: 86
        }
    }

    private var isRecorded5_86: Bool { minor >= 86 }

    // MARK: Power

    /// Whether a change of the power is refused while another is under way.
    var refusesSecondSwitch: Bool { minor >= 57 }
    /// What switching on answers while rfkill is against it.
    ///
    /// Debian 11's kernel tells bluetoothd the reason; from Linux 5.17 on it does not.
    var blocked: BusError {
        minor >= 66
            ? BlueZError.failed("Failed")
            : BusError(name: "org.bluez.Error.Blocked", message: "Blocked through rfkill")
    }

    // MARK: Links

    /// What `Connect` answers while another one is pending.
    var connectingAlready: BusError {
        isRecorded5_86 ? BlueZError.inProgress : BlueZError.failed("Operation already in progress")
    }

    /// What `Connect` answers when nobody is there; the reasons have names from 5.62.
    var connectionAborted: BusError {
        BlueZError.failed(
            minor >= 62 ? "le-connection-abort-by-local" : "Software caused connection abort"
        )
    }

    /// What `Connect` answers when it is cancelled.
    var connectionCanceled: BusError {
        BlueZError.failed(minor >= 62 ? "br-connection-canceled" : "Operation canceled")
    }

    /// Whether `Disconnect` is answered before `Connected` becomes false.
    var repliesBeforeDisconnected: Bool { !isRecorded5_86 }
    /// Whether a device tells why its link ended.
    var tellsReason: Bool { minor >= 83 }
    /// How many requests go on at once with a peer of the same kind (Enhanced ATT).
    var bearerCount: Int { minor >= 70 ? 1 : 3 }
    /// Whether pairing a paired device is refused; it waits for the end of the link otherwise.
    var refusesSecondPairing: Bool { isRecorded5_86 }

    // MARK: Properties

    /// Whether the services that bluetoothd uses itself are shown, to be read and not to be written.
    ///
    /// `ExportClaimedServices` of main.conf, from 5.80; its default is read-only.
    var exportsClaimedServices: Bool { minor >= 80 }
    /// Whether characteristics have the property `Handle`.
    var hasHandles: Bool { isRecorded5_86 }
    /// Whether characteristics have the property `MTU`.
    var hasMTU: Bool { minor >= 62 }
    /// Whether devices have the property `Bonded`.
    var hasBonded: Bool { minor >= 65 }
    /// Whether adapters have the property `PowerState`.
    var hasPowerState: Bool { minor >= 66 }
    /// Whether batteries have the property `Source`.
    var hasBatterySource: Bool { minor >= 56 }

    // MARK: Discovery

    /// Whether each signal strength is told when there is a filter of any kind.
    ///
    /// Else a filter has to ask for RSSI or path loss.
    var tellsEachStrengthWithAnyFilter: Bool { !isRecorded5_86 }
    /// Whether a filter may ask to be connected to what it matches.
    var connectsWhileDiscovering: Bool { isRecorded5_86 }

    // MARK: Listening and serving

    /// Whether `StartNotify` is refused while the link is being ended.
    var refusesListeningWhileDisconnecting: Bool { minor >= 56 }
    /// Whether calls of an application say the MTU.
    var tellsMTU: Bool { minor >= 59 }
    /// Whether the text of an application's `Failed` becomes the code; it is always 0x80 otherwise.
    var readsApplicationCodes: Bool { minor >= 66 }

    /// Whose socket `AcquireNotify` of an application gives (BlueZ issues 460, 820, 1106).
    enum NotifySockets {
        /// One for all centrals, and each gets everything.
        case shared
        /// One for each central, and still each gets everything.
        case eachToAll
        /// One for each central, which gets what is sent on it.
        case eachToOne
    }

    var notifySockets: NotifySockets {
        switch minor {
        case ..<70: .shared
        case ..<76: .eachToAll
        default: .eachToOne
        }
    }

    // MARK: Names

    /// The name of an adapter that nobody named.
    var adapterName: String { "BlueZ \(rawValue)" }
    /// `Modalias` of the adapters: the version in two hexadecimal digits each.
    var modalias: String {
        "usb:v1D6Bp0246d05\(Hexadecimal.text(UInt8(minor), digits: 2).uppercased())"
    }
    /// The same in seven bytes, as Device Information has it: source, vendor, product, version.
    var plugAndPlay: [UInt8] { [0x02, 0x6B, 0x1D, 0x46, 0x02, UInt8(minor), 0x05] }
}
