import BluejayBlueZ
import BluejayCore
import TestTraits
import Testing

@testable import BluejayDoctor

@Suite("Diagnosis of adapters and bluetoothd")
struct AdapterDiagnosisTests {
    private static let healthy = Evidence.healthy

    @Test(
        "The version finding covers old, limited, current and unknown versions of BlueZ",
        arguments: [
            (
                BlueZVersion(5, 54),
                [
                    "✗ BlueZ: 5.54 is older than 5.55",
                    "  → `sudo apt install bluez` from a newer release of the distribution",
                ]
            ),
            (
                BlueZVersion(5, 55),
                [
                    "• BlueZ: 5.55; later versions distinguish a blocked adapter from one that is off (5.66), report "
                        + "each subscriber to a server (5.70), notify a single central (5.76)"
                ]
            ),
            (
                BlueZVersion(5, 75),
                ["• BlueZ: 5.75; later versions notify a single central (5.76)"]
            ),
            (BlueZVersion(5, 76), ["✓ BlueZ: 5.76"]),
            (nil, ["! BlueZ: hci0 does not report its version; the oldest is assumed"]),
        ] as [(BlueZVersion?, [String])]
    )
    func version(version: BlueZVersion?, lines: [String]) {
        let evidence = Self.healthy.but { $0.adapters = [.hci(0, version)] }
        #expect(evidence.report(.version) == lines)
        #expect(evidence.troubles == (lines.count == 2 ? [.version] : []))
    }

    @Test(
        "A known crash of the BlueZ version is a note, not a problem",
        arguments: [
            (BlueZVersion(5, 65), 0), (BlueZVersion(5, 66), 1), (BlueZVersion(5, 82), 1),
            (BlueZVersion(5, 87), 1), (BlueZVersion(6, 0), 1), (nil, 0),
        ] as [(BlueZVersion?, Int)]
    )
    func crashes(version: BlueZVersion?, count: Int) {
        let evidence = Self.healthy.but { $0.adapters = [.hci(0, version)] }
        #expect(evidence.report(.crashes).count == count)
        #expect(evidence.report(.crashes).allSatisfy { $0.hasPrefix("• known crash: ") })
        #expect(evidence.troubles == [])
    }

    @Test(
        "A kernel that can crash bluetoothd is reported with a remedy for every version of BlueZ",
        .pitfall(.kernelRegressions),
        arguments: [
            ("6.1.192", "#1 SMP", "6.1.192"), ("6.1.177", "#1 SMP", "6.1.177"),
            ("6.1.0-56-amd64", "#1 SMP PREEMPT_DYNAMIC Debian 6.1.192-2 (2026-11-16)", "6.1.192"),
            ("6.1.0-1036-oem", "#36-Ubuntu SMP", "6.1"), ("unknown", "", "unknown"),
            ("6.1.0-56-amd64", "", "6.1"), ("6.1.0-50-amd64", "", nil), ("6.1.176", "#1 SMP", nil),
            ("6.12.90", "#1 SMP", nil), ("5.10.0-30-amd64", "", nil),
            ("6.1.0-40-amd64", "#1 SMP PREEMPT_DYNAMIC Debian 6.1.176-1 (2026-06-01)", nil),
        ] as [(String, String, String?)]
    )
    func kernel(release: String, build: String, name: String?) throws {
        for version in [BlueZVersion(5, 50), BlueZVersion(5, 87), nil] {
            let evidence = Self.healthy.but {
                $0.adapters = [.hci(0, version)]
                $0.machine.kernel = release
                $0.machine.kernelBuild = build
            }
            let line = evidence.report(.crashes).first { $0.contains("hci_chan_del") }
            guard let name else {
                #expect(line == nil)
                continue
            }
            #expect(line?.hasPrefix("! known crash: kernel \(name): ") == true, "\(line ?? "")")
            #expect(line?.contains("6.1.176") == true)
            #expect(!evidence.troubles.contains(.crashes))
        }
    }

    @Test("A known crash is also reported while an installed bluetoothd is not running")
    func crashed() {
        let ended = Self.healthy.but {
            $0.bus.reachability = .daemonNotRunning
            $0.service.process = nil
            $0.adapters = []
        }
        #expect(ended.report(.crashes).count == 1)
        #expect(ended.troubles == [.daemon])
        #expect(ended.but { $0.service.isMasked = true }.report(.crashes) == [])
        #expect(ended.but { $0.service.isInstalled = false }.report(.crashes) == [])
        #expect(ended.but { $0.machine.hasBluetooth = false }.report(.crashes) == [])
    }

    @Test(
        "Experimental features are reported with the setting that enables them",
        .pitfall(.experimentalFeatures)
    )
    func experimental() {
        let without = Self.healthy.but {
            $0.adapters[0].adapter.features.remove(.advertisementMonitors)
        }
        #expect(
            without.report(.experimental) == [
                "• experimental features: no advertisement monitors: a scan replaces them; "
                    + "bluetoothd offers them with `--experimental`"
            ]
        )
        let with = Self.healthy.but {
            $0.service.isStartedExperimental = true
            $0.service.isConfiguredExperimental = true
            $0.adapters[0].experimentalFeatures = 2
        }
        #expect(
            with.report(.experimental) == [
                "✓ experimental features: advertisement monitors available (bluetoothd's command line, "
                    + "main.conf, 2 of the kernel at hci0)"
            ]
        )
        #expect(without.troubles == [])
    }

    @Test("A missing adapter is a problem with a remedy")
    func none() {
        let evidence = Self.healthy.but { $0.adapters = [] }
        #expect(
            evidence.report(.adapter) == [
                "✗ adapter: no adapter found",
                "  → plug one in, or pass it to the virtual machine; `lsusb` lists it if it is detected, and "
                    + "`sudo dmesg | grep -i bluetooth` shows a missing driver or firmware",
            ]
        )
        #expect(evidence.troubles == [.adapter])
        // A silent bluetoothd reports nothing about adapters.
        #expect(evidence.but { $0.bus.reachability = .daemonNotResponding }.report(.adapter) == [])
    }

    @Test("An adapter that is off is a problem unless another adapter is on")
    func off() {
        let evidence = Self.healthy.but { $0.adapters = [.hci(0).off] }
        #expect(
            evidence.report(.adapter) == [
                "✗ adapter hci0: 00:AA:01:00:00:00, desk, off", "  → `bluetoothctl power on`",
            ]
        )
        #expect(evidence.troubles == [.adapter])
        let both = Self.healthy.but { $0.adapters = [.hci(0).off, .hci(1).off] }
        #expect(
            both.report(.adapter).last
                == "  → in `bluetoothctl`: `select 00:AA:01:00:00:01`, then `power on`"
        )
        #expect(both.troubles == [.adapter, .adapter])
        let one = Self.healthy.but { $0.adapters = [.hci(0).off, .hci(1)] }
        #expect(one.report(.adapter).first == "• adapter hci0: 00:AA:01:00:00:00, desk, off")
        #expect(one.troubles == [])
    }

    @Test("An adapter blocked according to bluetoothd is a problem even without an rfkill switch")
    func blocked() {
        let evidence = Self.healthy.but {
            $0.adapters = [.hci(0).off]
            $0.adapters[0].adapter.isBlocked = true
        }
        #expect(
            evidence.report(.adapter) == [
                "✗ adapter hci0: 00:AA:01:00:00:00, desk, blocked by rfkill",
                "  → `sudo rfkill unblock bluetooth`, then `bluetoothctl power on`",
            ]
        )
    }

    @Test("An adapter without Low Energy is a problem whose remedy depends on main.conf")
    func classic() {
        let evidence = Self.healthy.but { $0.adapters[0].adapter.features = [] }
        #expect(
            evidence.report(.adapter) == [
                "✗ adapter hci0: 00:AA:01:00:00:00, desk, on, without Low Energy",
                "  → use an adapter of Bluetooth 4.0 or later",
            ]
        )
        #expect(
            evidence.but { $0.service.controllerMode = "bredr" }.report(.adapter).last
                == "  → set `ControllerMode = dual` in /etc/bluetooth/main.conf, then "
                + "`sudo systemctl restart bluetooth`"
        )
        #expect(evidence.but { $0.adapters.append(.hci(1)) }.troubles == [])
    }

    @Test("The adapter finding lists the supported features")
    func abilities() {
        let extended = Self.healthy.but { $0.adapters[0].isExtended = true }
        #expect(extended.report(.adapter)[0].contains("Extended Advertising, room for 5"))
        let central = Self.healthy.but { $0.adapters[0].adapter.features = [.central] }
        #expect(
            central.report(.adapter) == ["✓ adapter hci0: 00:AA:01:00:00:00, desk, on; central"]
        )
    }

    @Test("A scan by another program and a connected device are notes")
    func goingOn() throws {
        var peripheral = KnownPeripheral(
            try PeripheralIdentifier(
                address: "C4:7C:8D:6A:1F:02",
                isRandomAddress: true,
                name: "Belt\u{1B}[2J"
            )
        )
        peripheral.isConnected = true
        let evidence = Self.healthy.but {
            $0.adapters[0].adapter.isDiscoveringForOtherPrograms = true
            $0.adapters[0].connected = [peripheral]
        }
        #expect(
            evidence.report(.discovery)
                == ["• scan: another program is scanning with hci0, which slows connecting"]
        )
        #expect(
            evidence.report(.connected) == [
                "• connected: Belt\\u{1B}[2J (C4:7C:8D:6A:1F:02) on hci0; other devices and "
                    + "most programs do not find a connected peripheral, `bluejay scan` does"
            ]
        )
        #expect(evidence.troubles == [])
    }
}

@Suite("The text report of findings")
struct TextReportTests {
    private static let findings = [
        Finding.good(.bus, "system bus", "answers"),
        .note(.version, "BlueZ", "5.66"),
        .warning(.kernel, "kernel", "3.10"),
        .trouble(.adapter, "adapter", "off", mend: "`bluetoothctl power on`"),
    ]

    @Test(
        "The last line counts the problems",
        arguments: [(0, "No problems found."), (1, "1 problem found."), (2, "2 problems found.")]
    )
    func summary(count: Int, line: String) {
        let findings = Self.findings.prefix(3) + Array(repeating: Self.findings[3], count: count)
        #expect(TextReport.lines(Array(findings)).last == line)
        #expect(TextReport.problemCount(Array(findings)) == count)
    }

    @Test("Each verdict has a symbol, and only the symbol is styled")
    func signs() {
        #expect(
            TextReport.lines(Self.findings) { "<\($0) \($1)>" } == [
                "<✓ good> system bus: answers", "<• note> BlueZ: 5.66",
                "<! warning> kernel: 3.10", "<✗ trouble> adapter: off",
                "  → `bluetoothctl power on`", "1 problem found.",
            ]
        )
    }
}
