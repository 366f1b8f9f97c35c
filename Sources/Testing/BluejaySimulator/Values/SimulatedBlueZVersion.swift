/// The simulated version of bluetoothd.
///
/// 5.66 and 5.82 are recorded. The other versions follow the nearest earlier one of them, with the differences
/// from BlueZ's change log and sources.
public enum SimulatedBlueZVersion: String, CaseIterable, Swift.Sendable {
    /// The version of Debian 11.
    case v5_55 = "5.55"
    /// The version of Debian 12.
    case v5_66 = "5.66"
    /// The version of Ubuntu 24.04.
    case v5_72 = "5.72"
    /// The first version that can notify a single central.
    case v5_76 = "5.76"
    /// The version of Debian 13.
    case v5_82 = "5.82"
    /// A newer version; the members of this type list its differences.
    case v5_86 = "5.86"
    /// The version of Debian unstable in November 2026.
    case v5_87 = "5.87"
}

extension SimulatedBlueZVersion {
    /// The number after the point.
    var minor: Int {
        switch self {
        case .v5_55: 55
        case .v5_66: 66
        case .v5_72: 72
        case .v5_76: 76
        case .v5_82: 82
        case .v5_86: 86
        case .v5_87: 87
        }
    }

    // MARK: Power

    /// Whether a power change is refused during another one.
    var refusesSecondSwitch: Bool { minor >= 57 }

    // MARK: Links

    /// Whether `Disconnect` replies before `Connected` becomes false.
    var repliesBeforeDisconnected: Bool { minor < 82 }
    /// Whether `Disconnect` signals both its changes together.
    ///
    /// The signal of a reason separates them.
    var endsLinkWithOneSignal: Bool { minor >= 82 && !reportsReason }
    /// Whether a device signals the reason for the end of its link.
    var reportsReason: Bool { minor >= 83 }
    /// The number of concurrent requests with a peer of the same version (Enhanced ATT).
    var bearerCount: Int { minor >= 70 ? 1 : 3 }
    /// Whether pairing a paired device is refused; otherwise the call waits for the end of the link.
    var refusesSecondPairing: Bool { minor >= 82 }

    /// Whether `Pair` on a link uses the abilities that the default agent had when the link came up; otherwise it
    /// uses those of the caller's agent.
    var pairsWithAbilitiesOfLink: Bool { minor >= 82 }

    // MARK: Properties

    /// Whether clients see, as read-only, the services that bluetoothd itself uses.
    ///
    /// The setting `ExportClaimedServices` of main.conf, new in 5.80; its default is read-only.
    var exportsClaimedServices: Bool { minor >= 80 }
    /// Whether characteristics have the property `Handle`.
    var hasHandles: Bool { minor >= 82 }
    /// Whether characteristics have the property `MTU`.
    var hasMTU: Bool { minor >= 62 }
    /// Whether devices have the property `Bonded`.
    var hasBonded: Bool { minor >= 65 }
    /// Whether adapters have the property `PowerState`.
    var hasPowerState: Bool { minor >= 66 }
    /// Whether batteries have the property `Source`.
    var hasBatterySource: Bool { minor >= 56 }

    // MARK: Discovery

    /// Whether any filter makes bluetoothd report each signal strength.
    ///
    /// Otherwise the filter has to ask for RSSI or path loss.
    var reportsEachStrengthWithAnyFilter: Bool { minor < 82 }
    /// Whether a filter can request connections to matching devices.
    var connectsWhileDiscovering: Bool { minor >= 86 }

    // MARK: Listening and serving

    /// Whether `StartNotify` is refused during a disconnection.
    var refusesListeningWhileDisconnecting: Bool { minor >= 56 }
    /// Whether calls of an application include the MTU.
    var sendsMTU: Bool { minor >= 59 }
    /// Whether the text of an application's `Failed` determines the code; otherwise it is always 0x80.
    var readsApplicationCodes: Bool { minor >= 66 }
    /// Whether an application's `ImproperlyConfigured` becomes 0xFD; otherwise the name is unknown (BlueZ issue
    /// 827).
    var knowsImproperConfiguration: Bool { minor >= 76 }

    /// The assignment of `AcquireNotify` sockets to centrals (BlueZ issues 460, 820, 1106).
    enum AcquireNotifyBehavior {
        /// One socket for all centrals; each central receives every value.
        case shared
        /// One socket for each central, but each central still receives every value.
        case eachToAll
        /// One socket for each central, which receives only the values sent on it.
        case eachToOne
    }

    var acquireNotifyBehavior: AcquireNotifyBehavior {
        switch minor {
        case ..<70: .shared
        case ..<76: .eachToAll
        default: .eachToOne
        }
    }

    // MARK: Names

    var adapterName: String { "BlueZ \(rawValue)" }
    /// The `Modalias` of the adapters: the version in two hexadecimal digits each.
    var modalias: String {
        "usb:v1D6Bp0246d05\(HexNumber.text(UInt8(minor), digits: 2).uppercased())"
    }
    /// The same as seven bytes for Device Information: source, vendor, product, version.
    var plugAndPlay: [UInt8] { [0x02, 0x6B, 0x1D, 0x46, 0x02, UInt8(minor), 0x05] }
}
