package import BluejayBlueZ
package import BluejayCore

/// The facts from files and the bus, from which `Diagnosis` derives findings.
package struct Evidence: Equatable, Swift.Sendable {
    package var machine = MachineEvidence()
    package var bus = BusEvidence()
    package var service = ServiceEvidence()
    package var user = UserEvidence()
    /// The policy files of the bus that concern bluetoothd, in the order in which the bus reads them.
    package var policies: [PolicyFile] = []
    /// The adapters in the order of their numbers; empty without an answer of bluetoothd.
    package var adapters: [AdapterEvidence] = []

    package init() {}
}

/// The facts about the kernel and the system.
package struct MachineEvidence: Equatable, Swift.Sendable {
    /// The release, such as `6.1.0-18-amd64`; `nil` if unreadable.
    package var kernel: String?
    /// The build, such as `#1 SMP Debian 6.1.76-1 (2024-02-01)`; `nil` if unreadable.
    package var kernelBuild: String?
    /// Whether the kernel has Bluetooth, built in or loaded; bluetoothd's unit requires it.
    package var hasBluetooth = false
    /// The type of container that the process runs in, such as `Docker`; `nil` outside of containers.
    package var container: String?
    /// The rfkill switches of Bluetooth devices.
    package var switches: [RfkillSwitch] = []
    package var hasSystemd = false
    package var hasBusProgram = false

    package init() {}
}

package struct RfkillSwitch: Equatable, Swift.Sendable {
    /// The name, such as `hci0` or a laptop driver's name.
    package var name: String
    package var isSoftBlocked: Bool
    /// Whether a hardware switch or key has blocked it.
    package var isHardBlocked: Bool

    package init(_ name: String, isSoftBlocked: Bool, isHardBlocked: Bool) {
        self.name = name
        self.isSoftBlocked = isSoftBlocked
        self.isHardBlocked = isHardBlocked
    }

    package var isBlocked: Bool { isSoftBlocked || isHardBlocked }
}

/// The facts about the bus.
package struct BusEvidence: Equatable, Swift.Sendable {
    /// The socket file of the address.
    package enum Socket: Equatable, Swift.Sendable {
        /// The address contains no file.
        case unnamed
        case missing(String)
        /// The file exists, but this user may not write to it.
        case locked(String)
        case present(String)
    }

    /// The address, in the notation of the D-Bus specification.
    package var address = ""
    /// Whether `DBUS_SYSTEM_BUS_ADDRESS` contains an address other than the system's own.
    package var isFromEnvironment = false
    package var socket = Socket.unnamed
    /// The last step reached on the way to bluetoothd.
    package var reachability = DaemonReachability.busNotResponding
    /// The time limit for an answer.
    package var timeout = Duration.seconds(5)

    package init() {}
}

/// The facts about bluetoothd from files.
package struct ServiceEvidence: Equatable, Swift.Sendable {
    /// Whether the program or its unit exists.
    package var isInstalled = false
    /// Whether its systemd unit is masked.
    package var isMasked = false
    /// The process number, or `nil` if no process is visible.
    package var process: Int?
    /// Whether the command line of the process enables experimental features.
    package var isStartedExperimental = false
    /// Whether main.conf enables experimental features.
    package var isConfiguredExperimental = false
    /// The value of `ControllerMode` in main.conf, or `nil` if not set.
    package var controllerMode: String?

    package init() {}
}

/// The facts about the user of the process.
package struct UserEvidence: Equatable, Swift.Sendable {
    /// The user number known to the bus; `nil` if unreadable.
    package var id: Int?
    package var name: String?
    /// The names of the process's groups.
    package var groups: Set<String> = []
    /// The names of the user's groups in /etc/group, effective from the next login on.
    package var groupsOnFile: Set<String> = []

    package init() {}
}

/// A policy file of the bus.
package struct PolicyFile: Equatable, Swift.Sendable {
    package var path: String
    package var policy: BusPolicy

    package init(path: String, policy: BusPolicy) {
        self.path = path
        self.policy = policy
    }
}

/// The facts about an adapter from bluetoothd.
package struct AdapterEvidence: Equatable, Swift.Sendable {
    package var adapter: BluetoothAdapter
    /// The number of further advertisements it accepts; `nil` if it supports none, or if unknown.
    package var availableInstances: Int?
    /// Whether the controller supports Extended Advertising.
    package var isExtended = false
    /// The number of the kernel's experimental features enabled for it.
    package var experimentalFeatures = 0
    /// The devices connected by any program.
    package var connected: [KnownPeripheral] = []

    package init(_ adapter: BluetoothAdapter) {
        self.adapter = adapter
    }
}
