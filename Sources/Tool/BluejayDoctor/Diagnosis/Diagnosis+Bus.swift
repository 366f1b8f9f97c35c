internal import BluejayBlueZ
internal import BluejayDBus

// Checks of the connection to bluetoothd.

extension Diagnosis {
    static func bus(_ evidence: Evidence) -> [Finding] {
        let bus = evidence.bus
        let title = "system bus"
        switch bus.reach {
        case .noBus(BusError.disconnected.message):
            let found = "\(bus.address) ends the connection: it does not take this user"
            return [.trouble(.bus, title, found, mend: mendUser)]
        case .noBus(let text):
            let found = "\(bus.address) cannot be reached (\(text))"
            return [.trouble(.bus, title, found, mend: mendUnreachable(evidence))]
        case .silentBus:
            return [
                .trouble(
                    .bus,
                    title,
                    "\(bus.address) does not answer within \(bus.limit)",
                    mend:
                        "`journalctl -u dbus` may say why; the system bus begins anew with the computer"
                )
            ]
        case .refusingBus(let text):
            let found = "\(bus.address) does not take this user (\(text))"
            return [.trouble(.bus, title, found, mend: mendUser)]
        case .noDaemon, .silentDaemon, .refusingDaemon, .daemon:
            let origin = bus.isGiven ? ", which DBUS_SYSTEM_BUS_ADDRESS names" : ""
            return [.good(.bus, title, "\(bus.address)\(origin), answers")]
        }
    }

    private static let mendUser =
        "run this as a user that the bus knows; in a container `id -u` has to be the same inside and "
        + "outside"

    private static func mendUnreachable(_ evidence: Evidence) -> String {
        if case .locked(let path) = evidence.bus.socket {
            return "let this user write to \(path): `ls -l \(path)` shows who may"
        }
        if evidence.bus.isGiven {
            return "start what is to listen there, or `unset DBUS_SYSTEM_BUS_ADDRESS` for the "
                + "system's own bus"
        }
        guard evidence.machine.container != nil else {
            return
                "`sudo systemctl start dbus`, or `sudo apt install dbus` if there is no such service"
        }
        if case .present = evidence.bus.socket {
            return "start the container anew, for the bus whose socket is mounted has ended; with "
                + "`-v /run/dbus:/run/dbus` it sees the next one"
        }
        return "start the container with `-v /run/dbus/system_bus_socket:"
            + "/run/dbus/system_bus_socket`"
    }

    static func daemon(_ evidence: Evidence) -> [Finding] {
        let title = "bluetoothd"
        switch evidence.bus.reach {
        case .daemon: return [.good(.daemon, title, "it is on the bus, and answers")]
        case .refusingDaemon:
            return [.note(.daemon, title, "the bus does not let this user ask it")]
        case .silentDaemon:
            return [
                .trouble(
                    .daemon,
                    title,
                    "it is on the bus, and does not answer within \(evidence.bus.limit)",
                    mend: "`\(restart(evidence))`"
                )
            ]
        case .noDaemon:
            let (found, mend) = absence(evidence)
            return [.trouble(.daemon, title, found, mend: mend)]
        case .noBus, .silentBus, .refusingBus: return unseen(evidence)
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
                "it runs as process \(process), and is not on this bus",
                evidence.bus.isGiven
                    ? "`unset DBUS_SYSTEM_BUS_ADDRESS`, if this is not the bus that you mean"
                    : "`\(restart(evidence))`"
            )
        }
        if evidence.bus.isGiven {
            return (
                "it is not on the bus",
                "start it there, or `unset DBUS_SYSTEM_BUS_ADDRESS` for the system's own bus"
            )
        }
        if evidence.machine.container != nil {
            return ("it is not on the bus", "on the host: `sudo systemctl start bluetooth`")
        }
        if service.isMasked {
            return (
                "it is not running: its unit is masked",
                "`sudo systemctl unmask bluetooth`, then `sudo systemctl start bluetooth`"
            )
        }
        guard service.isInstalled else {
            return ("it is not installed", "`sudo apt install bluez`")
        }
        guard evidence.machine.hasSystemd else {
            return ("it is not running", "`sudo service bluetooth start`")
        }
        // See `ConditionPathIsDirectory=/sys/class/bluetooth` of bluetooth.service.
        guard evidence.machine.hasBluetooth else {
            return (
                "it is not running: its unit waits for Bluetooth in the kernel",
                "when that is there: `sudo systemctl start bluetooth`"
            )
        }
        return (
            "it is not running",
            "`sudo systemctl start bluetooth`; `systemctl status bluetooth` says why if it ends again"
        )
    }

    // Without a bus, the files still show one later problem: bluetoothd is not installed.
    private static func unseen(_ evidence: Evidence) -> [Finding] {
        guard !evidence.bus.isGiven, evidence.machine.container == nil,
            !evidence.service.isInstalled
        else { return [] }
        return [
            .trouble(.daemon, "bluetoothd", "it is not installed", mend: "`sudo apt install bluez`")
        ]
    }
}
