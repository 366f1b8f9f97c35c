package import BluejayBlueZ
package import BluejayCore

/// What files and the bus said; `Diagnosis` makes findings of it.
package struct Evidence: Equatable, Swift.Sendable {
    package var machine = MachineEvidence()
    package var bus = BusEvidence()
    package var service = ServiceEvidence()
    package var user = UserEvidence()
    /// The files of the bus's policy that concern bluetoothd, in the order in which the bus reads them.
    package var policies: [PolicyFile] = []
    /// In the order of their numbers; empty without an answer of bluetoothd.
    package var adapters: [AdapterEvidence] = []

    package init() {}
}

/// What the kernel and the system around it are.
package struct MachineEvidence: Equatable, Swift.Sendable {
    /// Such as `6.1.0-18-amd64`; nil when it cannot be read.
    package var kernel: String?
    /// Whether the kernel has Bluetooth, built in or loaded; bluetoothd's unit waits for that.
    package var hasBluetooth = false
    /// What the process is inside of, such as `Docker`; nil outside of containers.
    package var container: String?
    /// The switches of rfkill that concern Bluetooth.
    package var switches: [RfkillSwitch] = []
    /// Whether systemd runs the system.
    package var hasSystemd = false
    /// Whether there is a `dbus-daemon` in PATH.
    package var hasBusProgram = false

    package init() {}
}

/// A switch of rfkill.
package struct RfkillSwitch: Equatable, Swift.Sendable {
    /// Such as `hci0`, or what the driver of a laptop calls it.
    package var name: String
    /// Whether software has blocked it.
    package var isSoftBlocked: Bool
    /// Whether a switch or a key of the computer has blocked it.
    package var isHardBlocked: Bool

    package init(_ name: String, isSoftBlocked: Bool, isHardBlocked: Bool) {
        self.name = name
        self.isSoftBlocked = isSoftBlocked
        self.isHardBlocked = isHardBlocked
    }

    /// Whether anybody has blocked it.
    package var isBlocked: Bool { isSoftBlocked || isHardBlocked }
}

/// What the bus said.
package struct BusEvidence: Equatable, Swift.Sendable {
    /// The file of an address that names one.
    package enum Socket: Equatable, Swift.Sendable {
        /// The address names no file.
        case unnamed
        case missing(String)
        /// It is there, and this user may not write to it.
        case locked(String)
        case present(String)
    }

    /// As the D-Bus specification writes addresses.
    package var address = ""
    /// Whether `DBUS_SYSTEM_BUS_ADDRESS` names another one than the system's own.
    package var isGiven = false
    package var socket = Socket.unnamed
    /// How far the way to bluetoothd led.
    package var reach = DaemonReachability.silentBus
    /// How long an answer was waited for.
    package var limit = Duration.seconds(5)

    package init() {}
}

/// What files say of bluetoothd.
package struct ServiceEvidence: Equatable, Swift.Sendable {
    /// Whether the program or its unit is there.
    package var isInstalled = false
    /// Whether systemd has been told never to start it.
    package var isMasked = false
    /// The number of its process; nil when none is seen.
    package var process: Int?
    /// Whether the command line of the process asks for what is experimental.
    package var isStartedExperimental = false
    /// Whether main.conf asks for it.
    package var isConfiguredExperimental = false
    /// `ControllerMode` of main.conf; nil when it does not say.
    package var controllerMode: String?

    package init() {}
}

/// Who runs the program.
package struct UserEvidence: Equatable, Swift.Sendable {
    /// The number by which the bus knows the user; nil when it cannot be read.
    package var id: Int?
    package var name: String?
    /// The names of the groups that the process is in.
    package var groups: Set<String> = []
    /// The names of the groups that /etc/group has the user in, from the next login on.
    package var groupsOnFile: Set<String> = []

    package init() {}
}

/// A file of the bus's policy.
package struct PolicyFile: Equatable, Swift.Sendable {
    package var path: String
    package var policy: BusPolicy

    package init(path: String, policy: BusPolicy) {
        self.path = path
        self.policy = policy
    }
}

/// What bluetoothd said of an adapter.
package struct AdapterEvidence: Equatable, Swift.Sendable {
    package var facts: BluetoothAdapter
    /// How many more advertisements it takes; nil when it takes none, or does not say.
    package var room: Int?
    /// Whether the controller has Extended Advertising.
    package var isExtended = false
    /// How many experimental features of the kernel are on for it.
    package var experimentalFeatures = 0
    /// Who is connected, by whomever.
    package var connected: [KnownPeripheral] = []

    package init(_ facts: BluetoothAdapter) {
        self.facts = facts
    }
}
