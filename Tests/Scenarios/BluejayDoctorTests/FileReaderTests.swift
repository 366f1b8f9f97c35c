import Foundation
import Testing

@testable import BluejayDoctor

@Suite("Evidence from files", .timeLimit(.minutes(15)))
struct FileReaderTests {
    private static func reader(
        _ computer: FakeComputer,
        _ environment: [String: String] = [:]
    ) -> FileReader {
        FileReader(files: computer.files, environment: environment)
    }

    @Test("The files of a healthy Debian are read completely")
    func debian() throws {
        let computer = try FakeComputer()
        let reader = Self.reader(computer)
        var machine = MachineEvidence()
        machine.kernel = "6.1.0-18-amd64"
        machine.hasBluetooth = true
        machine.hasSystemd = true
        machine.hasBusProgram = true
        #expect(reader.machine() == machine)
        var service = ServiceEvidence()
        service.isInstalled = true
        service.process = 812
        #expect(reader.service() == service)
        #expect(reader.user().name == "anna")
        #expect(reader.user().id == 1000)
        #expect(reader.user().groups == ["sudo", "anna"])
        #expect(reader.user().groupsOnFile == ["sudo"])
        #expect(reader.policies().map(\.path) == ["/etc/dbus-1/system.d/bluetooth.conf"])
    }

    @Test("Missing files give empty evidence")
    func empty() throws {
        let computer = try FakeComputer(["/": ""])
        let reader = Self.reader(computer)
        #expect(reader.machine() == MachineEvidence())
        #expect(reader.service() == ServiceEvidence())
        #expect(reader.user() == UserEvidence())
        #expect(reader.policies() == [])
    }

    @Test("The user is the effective user of the process")
    func effective() throws {
        let status = "Uid:\t1000\t0\t7\t8\nGid:\t1000\t112\t27\t8\nGroups:\t \n"
        let computer = try FakeComputer(FakeComputer.debian.with(["/proc/self/status": status]))
        let user = Self.reader(computer).user()
        #expect(user.id == 0)
        #expect(user.name == "root")
        #expect(user.groups == ["bluetooth"])
    }

    @Test("Only the rfkill switches of Bluetooth are read")
    func switches() throws {
        func radio(_ number: Int, _ type: String, _ name: String, soft: Int, hard: Int) -> [String:
            String]
        {
            let path = "/sys/class/rfkill/rfkill\(number)"
            return [
                "\(path)/type": "\(type)\n", "\(path)/name": "\(name)\n",
                "\(path)/soft": "\(soft)\n",
                "\(path)/hard": "\(hard)\n",
            ]
        }
        let computer = try FakeComputer(
            radio(0, "wlan", "phy0", soft: 1, hard: 1)
                .with(radio(1, "bluetooth", "hci0", soft: 1, hard: 0))
                .with(radio(2, "bluetooth", "tpacpi_bluetooth_sw", soft: 0, hard: 1))
        )
        #expect(
            Self.reader(computer).machine().switches == [
                RfkillSwitch("hci0", isSoftBlocked: true, isHardBlocked: false),
                RfkillSwitch("tpacpi_bluetooth_sw", isSoftBlocked: false, isHardBlocked: true),
            ]
        )
    }

    @Test(
        "A container is identified by its files or environment",
        arguments: [
            ("/.dockerenv", "", [:], "Docker"), ("/run/.containerenv", "", [:], "Podman"),
            ("/x", "", ["container": "lxc"], "lxc"),
            ("/proc/1/cgroup", "12:pids:/docker/0123abcd\n", [:], "Docker"),
            ("/proc/1/cgroup", "0::/kubepods/besteffort/pod1\n", [:], "Kubernetes"),
            ("/proc/1/cgroup", "0::/init.scope\n", ["container": ""], nil),
        ] as [(String, String, [String: String], String?)]
    )
    func container(path: String, text: String, environment: [String: String], kind: String?) throws
    {
        let computer = try FakeComputer([path: text])
        #expect(Self.reader(computer, environment).machine().container == kind)
    }

    @Test(
        "Experimental features are enabled by a long or short option of bluetoothd",
        arguments: [
            (["bluetoothd", "--experimental"], true), (["bluetoothd", "-nE"], true),
            (["bluetoothd", "-E"], true), (["bluetoothd", "-n", "-d"], false),
            (["bluetoothd", "--noplugin=E"], false), (["-E"], false), ([], false),
        ]
    )
    func experimental(arguments: [String], isAsked: Bool) throws {
        let line = arguments.map { "\($0)\0" }.joined()
        let computer = try FakeComputer(FakeComputer.debian.with(["/proc/812/cmdline": line]))
        #expect(Self.reader(computer).service().isStartedExperimental == isAsked)
    }

    @Test(
        "Settings of main.conf count only in their section and outside comments",
        arguments: [
            ("[General]\nExperimental = true\nControllerMode = bredr\n", true, "bredr"),
            ("[General]\n#Experimental = true\n # ControllerMode = le\n", false, nil),
            ("[Policy]\nExperimental=true\n[GATT]\nControllerMode=le\n", false, nil),
            ("Experimental=true\n[General\n= =\n", false, nil),
        ] as [(String, Bool, String?)]
    )
    func configuration(text: String, isExperimental: Bool, mode: String?) throws {
        let computer = try FakeComputer(["/etc/bluetooth/main.conf": text])
        #expect(Self.reader(computer).service().isConfiguredExperimental == isExperimental)
        #expect(Self.reader(computer).service().controllerMode == mode)
    }

    @Test("A unit linked to /dev/null is masked")
    func masked() throws {
        let unit = "/etc/systemd/system/bluetooth.service"
        let computer = try FakeComputer(links: [unit: "/dev/null"])
        #expect(Self.reader(computer).service().isMasked)
        let other = try FakeComputer(links: [unit: "/usr/lib/systemd/system/bluetooth.service"])
        #expect(!Self.reader(other).service().isMasked)
    }

    @Test("A program is searched in PATH")
    func path() throws {
        let computer = try FakeComputer(["/opt/bus/dbus-daemon": ""])
        #expect(!Self.reader(computer).machine().hasBusProgram)
        #expect(Self.reader(computer, ["PATH": "/bin:/opt/bus"]).machine().hasBusProgram)
    }

    @Test("The socket of an address is present, missing or not named")
    func socket() throws {
        let computer = try FakeComputer(["/socket": ""])
        let there = computer.place(of: "/socket")
        let tree = FileTree()
        #expect(FileReader.socket(of: "unix:path=\(there)", in: tree) == .present(there))
        #expect(
            FileReader.socket(of: "unix:guid=1,path=\(there);tcp:host=a", in: tree)
                == .present(there)
        )
        #expect(FileReader.socket(of: "unix:path=\(there)2", in: tree) == .missing(there + "2"))
        for address in ["unix:abstract=a", "tcp:host=a,port=1", "unix:path=/%20", ""] {
            #expect(FileReader.socket(of: address, in: tree) == .unnamed)
        }
    }
}
