internal import BluejayBlueZ
internal import BluejayDBus

// Checks of the connection to bluetoothd.

extension Diagnosis {
    static func bus(_ evidence: Evidence) -> [Finding] {
        let bus = evidence.bus
        let title = "system bus"
        switch bus.reachability {
        case .busUnreachable(BusError.disconnected.message):
            let found = "\(bus.address) closed the connection: it rejected this user"
            return [.trouble(.bus, title, found, mend: remedyForUser)]
        case .busUnreachable(let text):
            let found = "\(bus.address) is unreachable (\(text))"
            return [.trouble(.bus, title, found, mend: remedyForUnreachableBus(evidence))]
        case .busNotResponding:
            return [
                .trouble(
                    .bus,
                    title,
                    "\(bus.address) did not respond within \(bus.timeout)",
                    mend:
                        "`journalctl -u dbus` may show the reason; a reboot restarts the system bus"
                )
            ]
        case .busAccessDenied(let text):
            let found = "\(bus.address) rejected this user (\(text))"
            return [.trouble(.bus, title, found, mend: remedyForUser)]
        case .daemonNotRunning, .daemonNotResponding, .daemonAccessDenied, .reachable:
            let origin = bus.isFromEnvironment ? " (from DBUS_SYSTEM_BUS_ADDRESS)" : ""
            return [.good(.bus, title, "\(bus.address)\(origin), responding")]
        }
    }

    private static let remedyForUser =
        "run this as a user known to the bus; in a container `id -u` must be the same inside and "
        + "outside"

    private static func remedyForUnreachableBus(_ evidence: Evidence) -> String {
        if case .locked(let path) = evidence.bus.socket {
            return "give this user write access to \(path); `ls -l \(path)` shows the permissions"
        }
        if evidence.bus.isFromEnvironment {
            return "start the bus at that address, or `unset DBUS_SYSTEM_BUS_ADDRESS` to use the "
                + "system bus"
        }
        guard evidence.machine.container != nil else {
            return
                "`sudo systemctl start dbus`, or `sudo apt install dbus` if that service does not exist"
        }
        if case .present = evidence.bus.socket {
            return "restart the container: the bus of the mounted socket has ended; with "
                + "`-v /run/dbus:/run/dbus` the container follows restarts"
        }
        return "start the container with `-v /run/dbus/system_bus_socket:"
            + "/run/dbus/system_bus_socket`"
    }

    static func daemon(_ evidence: Evidence) -> [Finding] {
        let title = "bluetoothd"
        switch evidence.bus.reachability {
        case .reachable: return [.good(.daemon, title, "running and responding")]
        case .daemonAccessDenied:
            return [.note(.daemon, title, "the bus denies this user access to it")]
        case .daemonNotResponding:
            return [
                .trouble(
                    .daemon,
                    title,
                    "running, but did not respond within \(evidence.bus.timeout)",
                    mend: "`\(restart(evidence))`"
                )
            ]
        case .daemonNotRunning:
            let (found, mend) = absence(evidence)
            return [.trouble(.daemon, title, found, mend: mend)]
        case .busUnreachable, .busNotResponding, .busAccessDenied: return unseen(evidence)
        }
    }

    static func restart(_ evidence: Evidence) -> String {
        evidence.machine.hasSystemd || evidence.machine.container != nil
            ? "sudo systemctl restart bluetooth" : "sudo service bluetooth restart"
    }

    private static func absence(_ evidence: Evidence) -> (found: String, mend: String) {
        let service = evidence.service
        if let process = service.process {
            return (
                "running as process \(process), but not on this bus",
                evidence.bus.isFromEnvironment
                    ? "`unset DBUS_SYSTEM_BUS_ADDRESS`, if this is the wrong bus"
                    : "`\(restart(evidence))`"
            )
        }
        if evidence.bus.isFromEnvironment {
            return (
                "not on the bus",
                "start it there, or `unset DBUS_SYSTEM_BUS_ADDRESS` to use the system bus"
            )
        }
        if evidence.machine.container != nil {
            return ("not on the bus", "on the host: `sudo systemctl start bluetooth`")
        }
        if service.isMasked {
            return (
                "not running: its unit is masked",
                "`sudo systemctl unmask bluetooth`, then `sudo systemctl start bluetooth`"
            )
        }
        guard service.isInstalled else {
            return ("not installed", "`sudo apt install bluez`")
        }
        guard evidence.machine.hasSystemd else {
            return ("not running", "`sudo service bluetooth start`")
        }
        // See `ConditionPathIsDirectory=/sys/class/bluetooth` of bluetooth.service.
        guard evidence.machine.hasBluetooth else {
            return (
                "not running: its unit waits for Bluetooth in the kernel",
                "load the kernel module, then `sudo systemctl start bluetooth`"
            )
        }
        return (
            "not running",
            "`sudo systemctl start bluetooth`; `systemctl status bluetooth` shows the reason if it stops again"
        )
    }

    // Without a bus, the files still show one later problem: bluetoothd is not installed.
    private static func unseen(_ evidence: Evidence) -> [Finding] {
        guard !evidence.bus.isFromEnvironment, evidence.machine.container == nil,
            !evidence.service.isInstalled
        else { return [] }
        return [
            .trouble(.daemon, "bluetoothd", "not installed", mend: "`sudo apt install bluez`")
        ]
    }
}
