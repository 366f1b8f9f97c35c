import BluejayBlueZ
import BluejayCore
import Testing

@testable import BluejayDoctor

@Suite("Diagnosis of the machine, the bus and the permissions")
struct DiagnosisTests {
    @Test("A healthy machine has no problem")
    func healthy() {
        #expect(
            TextReport.lines(Diagnosis.findings(.healthy)) == [
                "✓ kernel: Linux 6.1.0-18-amd64",
                "✓ Bluetooth in the kernel: loaded",
                "✓ system bus: unix:path=/run/bus, responding",
                "✓ bluetoothd: running and responding",
                "✓ permissions: anna has access to bluetoothd: /etc/b.conf allows every user",
                "✓ BlueZ: 5.86",
                "✓ experimental features: advertisement monitors available",
                "✓ adapter hci0: 00:AA:01:00:00:00, desk, on; central, peripheral, both at once, "
                    + "advertises, room for 5, monitors",
                "• known crash: bluetoothd 5.66 and later (seen up to 5.87) crashes 5 s after a request from a central "
                    + "whose link drops before the serving program responds; a server that responds at once or holds its "
                    + "values avoids it",
                "✓ simulated BlueZ: dbus-daemon found",
                "No problems found.",
            ]
        )
    }

    @Test("A healthy BlueZ 5.66 without advertisement monitors has notes, but no warning")
    func healthyOldBlueZ() {
        let evidence = Evidence.healthy.but {
            $0.adapters = [.hci(0, BlueZVersion(5, 66))]
            $0.adapters[0].adapter.features.remove(.advertisementMonitors)
        }
        let verdicts = Diagnosis.findings(evidence).map(\.verdict)
        #expect(verdicts.contains(.note))
        #expect(!verdicts.contains(.warning) && !verdicts.contains(.trouble))
        #expect(!TextReport.lines(Diagnosis.findings(evidence)).contains { $0.hasPrefix("!") })
    }

    // MARK: The machine

    @Test(
        "A kernel older than 4.19 is a warning; an unknown kernel is not reported",
        arguments: [
            (
                "4.18.0",
                [
                    "! kernel: Linux 4.18.0 is older than 4.19, the oldest tested version"
                ]
            ),
            (
                "3.10.0-1160.el7",
                [
                    "! kernel: Linux 3.10.0-1160.el7 is older than 4.19, the oldest tested version"
                ]
            ),
            ("4.19.0-27", ["✓ kernel: Linux 4.19.0-27"]), ("5.4", ["✓ kernel: Linux 5.4"]),
            (nil, []),
        ] as [(String?, [String])]
    )
    func kernel(release: String?, lines: [String]) {
        let evidence = Evidence.healthy.but { $0.machine.kernel = release }
        #expect(evidence.report(.kernel).dropLast() == lines[...])
        #expect(evidence.troubles == [])
    }

    @Test("A kernel without Bluetooth and the resulting missing adapter count as one problem")
    func noBluetooth() {
        let evidence = Evidence.healthy.but {
            $0.machine.kernel = nil
            $0.machine.hasBluetooth = false
            $0.adapters = []
        }
        #expect(
            evidence.report(.kernel) == [
                "✗ Bluetooth in the kernel: missing: /sys/module/bluetooth does not exist",
                "  → `sudo modprobe btusb` loads it for a USB adapter; a kernel without the module, as in "
                    + "many virtual machines, must be replaced",
            ]
        )
        #expect(evidence.report(.adapter) == ["• adapter: no adapter found"])
        #expect(evidence.troubles == [.kernel])
        #expect(
            Self.alone.but { $0.machine.hasBluetooth = false }.report(.daemon) == [
                "✗ bluetoothd: not running: its unit waits for Bluetooth in the kernel",
                "  → load the kernel module, then `sudo systemctl start bluetooth`",
            ]
        )
        // An adapter that answers implies a kernel with Bluetooth somewhere.
        #expect(evidence.but { $0.adapters = [.hci(0)] }.troubles == [])
        // A given bus may belong to another machine, on which the adapter is missing.
        let given = evidence.but { $0.bus.isFromEnvironment = true }
        #expect(
            given.report(.kernel) == [
                "• Bluetooth in the kernel: missing; required unless bluetoothd runs on another machine"
            ]
        )
        #expect(given.troubles == [.adapter])
        let contained = evidence.but { $0.machine.container = "Docker" }
        #expect(
            contained.report(.kernel).last
                == "  → load it on the host, for a USB adapter with `sudo modprobe btusb`"
        )
    }

    @Test("The remedy for an rfkill block depends on whether software or a switch blocks")
    func rfkill() {
        let evidence = Evidence.healthy.but { $0.adapters = [.hci(0).off] }
        let soft = evidence.but {
            $0.machine.switches = [
                RfkillSwitch("hci0", isSoftBlocked: true, isHardBlocked: false),
                RfkillSwitch("hci1", isSoftBlocked: false, isHardBlocked: false),
            ]
        }
        #expect(
            soft.report(.rfkill) == [
                "✗ rfkill: software blocks hci0",
                "  → `sudo rfkill unblock bluetooth`, then `bluetoothctl power on`",
            ]
        )
        #expect(soft.report(.adapter) == ["• adapter hci0: 00:AA:01:00:00:00, desk, off"])
        #expect(soft.troubles == [.rfkill])
        let hard = soft.but { $0.machine.switches[0].isHardBlocked = true }
        #expect(
            hard.report(.rfkill) == [
                "✗ rfkill: a hardware switch or key blocks hci0",
                "  → use that switch or key; software cannot unblock it",
            ]
        )
        // Two switches that one command unblocks count as one trouble.
        let both = soft.but { $0.machine.switches[1].isSoftBlocked = true }
        #expect(both.report(.rfkill).first == "✗ rfkill: software blocks hci0 and hci1")
        #expect(both.troubles == [.rfkill])
        #expect(
            hard.but { $0.machine.switches[1].isSoftBlocked = true }.troubles == [.rfkill, .rfkill]
        )
        // A blocked adapter does no harm while another adapter is on.
        let beside = soft.but { $0.adapters = [.hci(1)] }
        #expect(beside.report(.rfkill) == ["• rfkill: software blocks hci0"])
        #expect(beside.troubles == [])
        // On some laptops the switch removes the adapter.
        #expect(soft.but { $0.adapters = [] }.troubles == [.rfkill])
        let free = soft.but { $0.machine.switches[0].isSoftBlocked = false }
        #expect(free.report(.rfkill) == ["✓ rfkill: no Bluetooth blocked"])
    }

    @Test("A missing dbus-daemon is a note about the simulated BlueZ")
    func simulator() {
        let evidence = Evidence.healthy.but { $0.machine.hasBusProgram = false }
        #expect(
            evidence.report(.simulator) == [
                "• simulated BlueZ: requires dbus-daemon, which is not in PATH (`sudo apt install dbus`)"
            ]
        )
        #expect(evidence.troubles == [])
    }

    // MARK: The bus

    private static let unreachable = Evidence.healthy.but {
        $0.bus.reachability = .busUnreachable("no such file")
        $0.bus.socket = .missing("/run/bus")
        $0.adapters = []
    }

    @Test("The remedy for an unreachable bus depends on the machine, container or address")
    func bus() {
        let evidence = Self.unreachable
        #expect(
            evidence.report(.bus) == [
                "✗ system bus: unix:path=/run/bus is unreachable (no such file)",
                "  → `sudo systemctl start dbus`, or `sudo apt install dbus` if that service does not exist",
            ]
        )
        #expect(evidence.troubles == [.bus])
        let contained = evidence.but { $0.machine.container = "Podman" }
        #expect(
            contained.report(.bus).last
                == "  → start the container with `-v /run/dbus/system_bus_socket:/run/dbus/system_bus_socket`"
        )
        let stale = contained.but { $0.bus.socket = .present("/run/bus") }
        #expect(
            stale.report(.bus).last
                == "  → restart the container: the bus of the mounted socket has ended; with "
                + "`-v /run/dbus:/run/dbus` the container follows restarts"
        )
        #expect(
            contained.report(.container)
                == ["• container: Podman without a mounted system bus"]
        )
        #expect(
            contained.but { $0.bus.isFromEnvironment = true }.report(.bus).last
                == "  → start the bus at that address, or `unset DBUS_SYSTEM_BUS_ADDRESS` to use the system bus"
        )
        #expect(
            contained.but { $0.bus.socket = .locked("/run/bus") }.report(.bus).last
                == "  → give this user write access to /run/bus; `ls -l /run/bus` shows the permissions"
        )
    }

    @Test("A missing bluetoothd is also found while the bus is unreachable")
    func behindTheBus() {
        let evidence = Self.unreachable.but { $0.service.isInstalled = false }
        #expect(
            evidence.report(.daemon) == [
                "✗ bluetoothd: not installed", "  → `sudo apt install bluez`",
            ]
        )
        #expect(evidence.troubles == [.bus, .daemon])
        // The cause lies with the host or with another bus.
        #expect(evidence.but { $0.machine.container = "Docker" }.troubles == [.bus])
        #expect(evidence.but { $0.bus.isFromEnvironment = true }.troubles == [.bus])
    }

    @Test("A silent bus and a bus that rejects the user have different remedies")
    func strangeBus() {
        let silent = Evidence.healthy.but { $0.bus.reachability = .busNotResponding }
        #expect(
            silent.report(.bus) == [
                "✗ system bus: unix:path=/run/bus did not respond within 5.0 seconds",
                "  → `journalctl -u dbus` may show the reason; a reboot restarts the system bus",
            ]
        )
        let refusing = Evidence.healthy.but { $0.bus.reachability = .busAccessDenied("no") }
        #expect(
            refusing.report(.bus) == [
                "✗ system bus: unix:path=/run/bus rejected this user (no)",
                "  → run this as a user known to the bus; in a container `id -u` must be the same inside and outside",
            ]
        )
        #expect(refusing.report(.permissions) == [])
    }

    // MARK: bluetoothd

    private static let alone = Evidence.healthy.but {
        $0.bus.reachability = .daemonNotRunning
        $0.service.process = nil
        $0.adapters = []
    }

    @Test("The remedy for a missing bluetoothd is to install, start or unmask it")
    func absent() {
        func daemon(_ change: (inout Evidence) -> Void) -> [String] {
            let evidence = Self.alone.but(change)
            #expect(evidence.troubles == [.daemon])
            return evidence.report(.daemon)
        }
        #expect(
            daemon { _ in } == [
                "✗ bluetoothd: not running",
                "  → `sudo systemctl start bluetooth`; `systemctl status bluetooth` shows the reason if it stops again",
            ]
        )
        #expect(
            daemon { $0.machine.hasSystemd = false } == [
                "✗ bluetoothd: not running", "  → `sudo service bluetooth start`",
            ]
        )
        #expect(
            daemon { $0.service.isInstalled = false }
                == ["✗ bluetoothd: not installed", "  → `sudo apt install bluez`"]
        )
        #expect(
            daemon { $0.service.isMasked = true } == [
                "✗ bluetoothd: not running: its unit is masked",
                "  → `sudo systemctl unmask bluetooth`, then `sudo systemctl start bluetooth`",
            ]
        )
        #expect(
            daemon { $0.machine.container = "Docker" }.last
                == "  → on the host: `sudo systemctl start bluetooth`"
        )
        #expect(
            daemon { $0.bus.isFromEnvironment = true }.last
                == "  → start it there, or `unset DBUS_SYSTEM_BUS_ADDRESS` to use the system bus"
        )
    }

    @Test("A bluetoothd that runs on another bus is reported with its process")
    func beside() {
        let evidence = Self.alone.but { $0.service.process = 812 }
        #expect(
            evidence.report(.daemon) == [
                "✗ bluetoothd: running as process 812, but not on this bus",
                "  → `sudo systemctl restart bluetooth`",
            ]
        )
        #expect(
            evidence.but { $0.bus.isFromEnvironment = true }.report(.daemon).last
                == "  → `unset DBUS_SYSTEM_BUS_ADDRESS`, if this is the wrong bus"
        )
    }

    @Test("A bluetoothd that does not respond is a problem whose remedy is a restart")
    func silent() {
        let evidence = Evidence.healthy.but {
            $0.bus.reachability = .daemonNotResponding
            $0.adapters = []
        }
        #expect(
            evidence.report(.daemon) == [
                "✗ bluetoothd: running, but did not respond within 5.0 seconds",
                "  → `sudo systemctl restart bluetooth`",
            ]
        )
        #expect(evidence.troubles == [.daemon])
    }

    // MARK: Permissions

    private static let refused = Evidence.healthy.but {
        $0.bus.reachability = .daemonAccessDenied("rejected")
        $0.adapters = []
    }

    private static func policy(_ rules: String) -> [PolicyFile] {
        [PolicyFile(path: "/etc/b.conf", policy: BusPolicy(text: rules))]
    }

    private static let group =
        #"<policy group="bluetooth"><allow send_destination="org.bluez"/></policy>"#
    private static let console =
        #"<policy at_console="true"><allow send_destination="org.bluez"/></policy>"#

    @Test("The remedy for denied access follows the policy")
    func refusal() {
        func mend(_ change: (inout Evidence) -> Void) -> String? {
            let evidence = Self.refused.but(change)
            #expect(
                evidence.report(.permissions).first
                    == "✗ permissions: the bus denies anna access to bluetoothd (rejected)"
            )
            #expect(
                evidence.report(.daemon) == ["• bluetoothd: the bus denies this user access to it"]
            )
            #expect(evidence.troubles == [.permissions])
            return evidence.report(.permissions).last
        }
        #expect(
            mend { _ in }
                == "  → `sudo systemctl reload dbus`: /etc/b.conf allows this user, so the bus uses an older version"
        )
        #expect(
            mend { $0.policies = Self.policy(Self.group) }
                == "  → `sudo adduser anna bluetooth`, then log in again"
        )
        #expect(
            mend {
                $0.policies = Self.policy(Self.group)
                $0.user.groupsOnFile = ["bluetooth"]
            } == "  → log out and in again: this session predates the membership in bluetooth"
        )
        #expect(
            mend { $0.policies = Self.policy(Self.console) }
                == "  → run this in a local session, or as root"
        )
        #expect(
            mend { $0.policies = Self.policy("") }
                == "  → allow it in /etc/b.conf, then `sudo systemctl reload dbus`"
        )
        #expect(
            mend { $0.policies = [] }
                == "  → `sudo apt install --reinstall bluez` restores the missing bus policy"
        )
        #expect(
            mend { $0.machine.container = "Docker" }
                == "  → run the container as a user that the policy of the host allows, such as root"
        )
        #expect(
            mend { $0.bus.isFromEnvironment = true }
                == "  → allow it in the policy of that bus, or `unset DBUS_SYSTEM_BUS_ADDRESS`"
        )
    }

    @Test("Granted access is reported with its reason, or from the policy without bluetoothd")
    func allowed() {
        let member = Evidence.healthy.but {
            $0.policies = Self.policy(Self.group)
            $0.user.groups = ["bluetooth"]
        }
        let text = "✓ permissions: anna has access to bluetoothd as a member of the group bluetooth"
        #expect(member.report(.permissions) == [text])
        #expect(
            member.but { $0.bus.reachability = .daemonNotRunning }.report(.permissions) == [text]
        )
        let stranger = Self.alone.but { $0.policies = Self.policy(Self.group) }
        #expect(
            stranger.report(.permissions) == [
                "✗ permissions: /etc/b.conf denies anna access to bluetoothd",
                "  → `sudo adduser anna bluetooth`, then log in again",
            ]
        )
        let console = Self.alone.but { $0.policies = Self.policy(Self.console) }
        #expect(
            console.report(.permissions)
                == ["• permissions: /etc/b.conf allows the user of a local session"]
        )
        // The answer of bluetoothd outweighs the policy files.
        let answered = Evidence.healthy.but { $0.policies = Self.policy(Self.group) }
        #expect(answered.report(.permissions) == ["✓ permissions: anna has access to bluetoothd"])
    }
}
