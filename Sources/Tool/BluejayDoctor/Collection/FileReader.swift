/// Collects facts from files.
struct FileReader {
    let files: FileTree
    let environment: [String: String]

    // MARK: The machine

    func machine() -> MachineEvidence {
        var machine = MachineEvidence()
        machine.kernel = files.line("/proc/sys/kernel/osrelease")
        machine.kernelBuild = files.line("/proc/sys/kernel/version")
        // A built-in module is listed only if it has parameters.
        machine.hasBluetooth =
            files.has("/sys/module/bluetooth") || files.has("/sys/class/bluetooth")
        machine.container = container()
        machine.switches = switches()
        machine.hasSystemd = files.has("/run/systemd/system")
        machine.hasBusProgram = hasProgram("dbus-daemon")
        return machine
    }

    private func container() -> String? {
        if files.has("/.dockerenv") { return "Docker" }
        if files.has("/run/.containerenv") { return "Podman" }
        if let kind = environment["container"], !kind.isEmpty { return kind }
        let groups = files.text("/proc/1/cgroup") ?? ""
        let kinds = [
            ("docker", "Docker"), ("libpod", "Podman"), ("kubepods", "Kubernetes"),
            ("containerd", "containerd"), ("lxc", "LXC"),
        ]
        return kinds.first { groups.contains($0.0) }?.1
    }

    private func switches() -> [RfkillSwitch] {
        let folder = "/sys/class/rfkill"
        return files.names(in: folder).compactMap { name in
            let path = "\(folder)/\(name)"
            guard files.line("\(path)/type") == "bluetooth" else { return nil }
            return RfkillSwitch(
                files.line("\(path)/name") ?? name,
                isSoftBlocked: files.line("\(path)/soft") == "1",
                isHardBlocked: files.line("\(path)/hard") == "1"
            )
        }
    }

    private func hasProgram(_ name: String) -> Bool {
        let path = environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
        return path.split(separator: ":").contains { files.has("\($0)/\(name)") }
    }

    // MARK: The bus

    /// Returns the socket of an address; its path is absolute rather than below the root, because libdbus
    /// opens it.
    static func socket(of address: String, in files: FileTree) -> BusEvidence.Socket {
        // libdbus uses the first working address.
        let first = address.split(separator: ";").first ?? ""
        guard first.hasPrefix("unix:") else { return .unnamed }
        let fields = first.dropFirst("unix:".count).split(separator: ",")
        guard let field = fields.first(where: { $0.hasPrefix("path=") }) else { return .unnamed }
        let path = String(field.dropFirst("path=".count))
        // The path of a system bus contains no escaped characters.
        guard !path.contains("%") else { return .unnamed }
        guard files.has(path) else { return .missing(path) }
        return files.canWrite(path) ? .present(path) : .locked(path)
    }

    // MARK: bluetoothd

    func service() -> ServiceEvidence {
        var service = ServiceEvidence()
        let unit = "/etc/systemd/system/bluetooth.service"
        service.isMasked = files.target(ofLink: unit) == "/dev/null"
        service.isInstalled = Self.places.contains { files.has($0) }
        if let process = process(named: "bluetoothd") {
            service.process = process.number
            service.isStartedExperimental = Self.requestsExperimental(process.arguments)
        }
        let settings = KeyFile(text: files.text("/etc/bluetooth/main.conf") ?? "")
        let value = settings["General", "Experimental"]?.lowercased()
        service.isConfiguredExperimental = value == "true" || value == "1"
        service.controllerMode = settings["General", "ControllerMode"]
        return service
    }

    private static let places = [
        "/usr/lib/systemd/system/bluetooth.service", "/lib/systemd/system/bluetooth.service",
        "/usr/libexec/bluetooth/bluetoothd", "/usr/lib/bluetooth/bluetoothd",
        "/usr/sbin/bluetoothd", "/etc/init.d/bluetooth",
    ]

    /// Returns the first process with a name; in a container, processes of the host are invisible.
    private func process(named name: String) -> (number: Int, arguments: [String])? {
        for number in files.names(in: "/proc").compactMap({ Int($0) }).sorted()
        where files.line("/proc/\(number)/comm") == name {
            let text = files.text("/proc/\(number)/cmdline") ?? ""
            return (number, text.split(separator: "\0").map(String.init))
        }
        return nil
    }

    /// Whether bluetoothd's arguments include `--experimental`, or `E` among the short options.
    static func requestsExperimental(_ arguments: [String]) -> Bool {
        arguments.dropFirst().contains { argument in
            argument == "--experimental"
                || argument.hasPrefix("-") && !argument.hasPrefix("--") && argument.contains("E")
        }
    }

    // MARK: The user

    func policies() -> [PolicyFile] {
        // The bus reads the packages' files before the administrator's.
        ["/usr/share/dbus-1/system.d/bluetooth.conf", "/etc/dbus-1/system.d/bluetooth.conf"]
            .compactMap { path in
                files.text(path).map { PolicyFile(path: path, policy: BusPolicy(text: $0)) }
            }
    }

    func user() -> UserEvidence {
        var user = UserEvidence()
        let status = files.text("/proc/self/status") ?? ""
        // Real, effective, saved and file-system IDs: the bus checks the effective ones.
        user.id = Self.numbers(status, "Uid:").dropFirst().first
        let groups = Set(
            Self.numbers(status, "Groups:") + Self.numbers(status, "Gid:").dropFirst().prefix(1)
        )
        let users = Self.table(files.text("/etc/passwd"))
        user.name = users.first { $0.count > 2 && Int($0[2]) == user.id && user.id != nil }?[0]
        for entry in Self.table(files.text("/etc/group")) where entry.count > 3 {
            if let number = Int(entry[2]), groups.contains(number) { user.groups.insert(entry[0]) }
            let members = entry[3].split(separator: ",").map(String.init)
            if let name = user.name, members.contains(name) { user.groupsOnFile.insert(entry[0]) }
        }
        return user
    }

    private static func numbers(_ text: String, _ field: String) -> [Int] {
        let line = text.split(whereSeparator: \.isNewline).first { $0.hasPrefix(field) }
        return line?.dropFirst(field.count).split(whereSeparator: \.isWhitespace)
            .compactMap { Int($0) } ?? []
    }

    private static func table(_ text: String?) -> [[String]] {
        (text ?? "").split(whereSeparator: \.isNewline).map { line in
            line.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        }
    }
}
