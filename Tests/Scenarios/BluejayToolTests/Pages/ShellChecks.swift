import Foundation
import TestSupport
import Testing

/// Checks the command lines of a block.
///
/// The simulator, and `bluejay` without a bus, run with the arguments of the page. Of other commands of the
/// repository, every part must exist: the file, the product, the option, the suite. `foreign` names the commands of
/// others, with the reason why they are not run.
struct ShellChecks {
    static let foreign = [
        "apt": "needs root and a network", "apt-get": "needs root and a network",
        "bash": "is a person's shell", "bluetoothctl": "is a person's shell",
        "btmon": "needs a controller", "cp": "changes the working copy",
        "docker": "needs a network", "gcc": "is not of this package",
        "install": "needs root", "journalctl": "needs systemd", "ln": "is not of this package",
        "mktemp": "is not of this package", "mosquitto_pub": "is run by Tests/Programs/MQTT",
        "mosquitto_sub": "is run by Tests/Programs/MQTT", "podman": "needs a network",
        "rfkill": "needs a radio",
        "rm": "needs root", "scp": "needs a second machine", "strip": "is not of this package",
        "systemctl": "needs systemd", "systemd-analyze": "is run by NewcomerPrograms/run",
    ]
    /// What a page puts in the place of the reader's own program, file or image.
    private static let placeholders: Set = [
        "my-program", "./my-program", "COMMAND", "COMMAND…", "FILE", "IMAGE",
    ]
    private static let variables: Set = [
        "DBUS_SYSTEM_BUS_ADDRESS", "PKG_CONFIG_LIBDIR", "PKG_CONFIG_SYSROOT_DIR", "archives",
    ]
    /// Packages that are installed together with others, as the machine in use has them.
    private static let runtimePackages: Set = ["libdbus-1-3", "libglib2.0-0", "libstdc++6"]

    /// The device file that stands for `sensor.json`.
    let deviceFile: String

    func check(_ text: String) async throws {
        let syntax = try await outcome(of: ["bash", "-n", "-c", text])
        #expect(syntax == Outcome([]), "\(text)")
        let commands = shellCommands(text)
        #expect(!commands.isEmpty, "there is no command in \(text)")
        for command in commands { try await check(command) }
    }

    private func check(_ command: [String]) async throws {
        var words = command[...]
        if words.first == "export" { words = words.dropFirst() }
        while let assignment = words.first?.firstMatch(of: #/^([A-Za-z_]+)=(.*)$/#) {
            try checkVariable(String(assignment.1), String(assignment.2))
            words = words.dropFirst()
        }
        guard let name = words.first else { return }
        let arguments = Array(words.dropFirst())
        if Self.placeholders.contains(name) { return }
        switch name {
        case "sudo": try await check(arguments)
        case "swift": try await checkSwift(arguments)
        case "apt", "apt-get": try checkPackages(arguments)
        case "python3":
            let module = try #require(arguments.dropFirst().first)
            let help = try await outcome(of: ["python3", "-m", module, "--help"])
            #expect(help.status == 0, "python3 has no module \(module)")
        case _ where Self.foreign[name] != nil:
            for (option, script) in zip(arguments, arguments.dropFirst()) where option == "-c" {
                try await check(script)
            }
            for argument in arguments where argument.hasSuffix(".service") {
                let folder = "Tests/Programs/NewcomerPrograms/Package/"
                try checkFile(argument.hasPrefix("Demos/") ? argument : folder + argument)
            }
            for argument in arguments { try checkPath(argument) }
        case _ where name.contains("/"):
            try await checkScript(String(name.trimmingPrefix("./")), arguments)
        case _ where name.hasSuffix(".py"):
            try checkFile("Tests/ExternalPeers/\(name)")
            try await checkArguments(arguments, of: "Tests/ExternalPeers/\(name)")
        default: try await checkProgram(name, arguments)
        }
    }

    // MARK: Parts

    private static func text(of path: String) -> String {
        (try? String(contentsOf: repositoryFile(path), encoding: .utf8)) ?? ""
    }

    private static let manifest = text(of: "Package.swift")
    private static let manifests =
        manifest + text(of: "Tests/Programs/NewcomerPrograms/Package/Package.swift")
        + text(of: "Tests/Programs/NewcomerPrograms/FirstPackage/Package.swift")

    /// The text of all files of a folder, without build products.
    private static func texts(in folder: String) -> String {
        let all = try? FileManager.default.subpathsOfDirectory(atPath: repositoryFile(folder).path)
        return (all ?? []).filter { !"/\($0)".contains("/.") }
            .map { text(of: "\(folder)/\($0)") }.joined()
    }

    private static let tests =
        texts(in: "Tests/Scenarios") + texts(in: "Tests/Units") + texts(in: "Tests/Support")

    private func checkVariable(_ name: String, _ value: String) throws {
        if name == "BLUEJAY_TESTS" {
            for target in value.split(separator: ",") {
                #expect(Self.manifest.contains("\"\(target)\""), "no target \(target)")
            }
        } else if name == "BLUEJAY_LOG" {
            #expect(["trace", "debug", "warning"].contains(value))
        } else if name.hasPrefix("BLUEJAY_") {
            #expect(Self.tests.contains("\"\(name)\""), "no test reads \(name)")
        } else {
            #expect(Self.variables.contains(name), "unknown variable \(name)")
        }
    }

    private func checkFile(_ path: String) throws {
        let exists = FileManager.default.fileExists(atPath: repositoryFile(path).path)
        #expect(exists, "\(path) does not exist")
    }

    /// Checks a path into this repository, or to a product of a build.
    private func checkPath(_ path: String) throws {
        if let product = path.firstMatch(
            of: #/^(?:/src/)?\.build[a-z0-9-]*/(?:debug|release)/(.+)$/#
        ) {
            checkProduct(String(product.1))
        } else if path.hasPrefix("Documentation/") || path.hasPrefix("Tests/") {
            try checkFile(path.contains("*") ? path.components(separatedBy: "*")[0] : path)
        }
    }

    private func checkProduct(_ name: String) {
        guard !Self.placeholders.contains(name) else { return }
        #expect(Self.manifests.contains("\"\(name)\""), "no product \(name)")
    }

    private func checkSuite(_ filter: String) {
        let suite = filter.split(separator: "/").first ?? ""
        #expect(Self.tests.contains("struct \(suite)"), "no suite \(suite)")
    }

    private func checkPackages(_ arguments: [String]) throws {
        let prepare = Self.text(of: ".ci/prepare")
        // A path is a package that the page has built.
        for package in arguments
        where !["install", "update", "-y"].contains(package) && !package.hasPrefix("./") {
            let isKnown =
                prepare.contains("need \(package)\n") || Self.runtimePackages.contains(package)
            #expect(isKnown, ".ci/prepare does not install \(package)")
        }
    }

    /// Checks a file that is run, and its arguments in the text of its folder.
    private func checkScript(_ path: String, _ arguments: [String]) async throws {
        if let product = path.firstMatch(of: #/^\.build[a-z-]*/debug/(.+)$/#) {
            checkProduct(String(product.1))
            if !arguments.isEmpty { try await checkProgram(String(product.1), arguments) }
            return
        }
        let isExecutable = FileManager.default.isExecutableFile(atPath: repositoryFile(path).path)
        #expect(isExecutable, "\(path) is no program")
        try await checkArguments(arguments, of: path)
    }

    private func checkArguments(_ arguments: [String], of path: String) async throws {
        let own = arguments.prefix { $0 != "--" }
        let folder = String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])
        let text =
            folder.hasPrefix(".ci") || path == "Tests/run"
            ? Self.text(of: path) : Self.texts(in: folder)
        for (number, argument) in own.enumerated() {
            if number > 0, own[number - 1] == "--filter" {
                checkSuite(argument)
            } else if argument.hasPrefix("-") {
                #expect(text.contains(argument), "\(path) has no option \(argument)")
            } else if argument.contains("/") {
                try checkPath(argument)
            } else if number == 0 || !own[number - 1].hasPrefix("-") {
                #expect(text.contains(argument), "\(path) does not know \(argument)")
            }
        }
        let command = Array(arguments.drop { $0 != "--" }.dropFirst())
        if !command.isEmpty { try await check(command) }
    }

    // MARK: Programs

    /// The help of each subcommand, printed once.
    private static let helpOfSwift = Dictionary(
        uniqueKeysWithValues: ["build", "run", "test", "package"].map { subcommand in
            let option = subcommand == "package" ? "--help" : "--help-hidden"
            let help = Task {
                // Elsewhere: in this package it waits for the lock that `swift test` holds.
                let command = ["env", "-C", "/", "swift", subcommand, option]
                return try await outcome(of: command).lines.joined(separator: "\n")
            }
            return (subcommand, help)
        }
    )

    private func checkSwift(_ arguments: [String]) async throws {
        let subcommand = try #require(arguments.first)
        let help = try await #require(Self.helpOfSwift[subcommand]).value
        var rest = arguments.dropFirst()
        while let argument = rest.popFirst() {
            switch argument {
            case "--product": checkProduct(rest.popFirst() ?? "")
            case "--filter": checkSuite(rest.popFirst() ?? "")
            case "--package-path":
                let folder = rest.popFirst() ?? ""
                try checkFile("\(folder)/Package.swift")
                let program = rest.popFirst() ?? ""
                let text = Self.texts(in: folder)
                #expect(text.contains("\"\(program)\""), "\(folder) has no \(program)")
                for option in rest where option.hasPrefix("--") {
                    #expect(text.contains(option.dropFirst(2)), "\(program) has no \(option)")
                }
                return
            case "-c", "-Xswiftc", "-Xlinker", "--scratch-path", "--sanitize", "--swift-sdk":
                _ = rest.popFirst()
                #expect(help.contains(argument), "swift \(subcommand) has no \(argument)")
            case _ where argument.hasPrefix("-"):
                #expect(help.contains(argument), "swift \(subcommand) has no \(argument)")
            case _ where subcommand == "run":
                checkProduct(argument)
                return try await checkProgram(argument, Array(rest))
            case _ where subcommand == "package":
                #expect(help.contains("\n  \(argument) "), "swift package has no \(argument)")
            default: Issue.record("swift \(subcommand) has no place for \(argument)")
            }
        }
    }

    private func checkProgram(_ name: String, _ arguments: [String]) async throws {
        let arguments = arguments.map { $0 == "sensor.json" ? deviceFile : $0 }
        switch name {
        case "bluez-simulator":
            let command = Array(arguments.drop { $0 != "--" }.dropFirst())
            if !command.isEmpty { try await check(command) }
            let own = arguments.prefix { $0 != "--" }
            let ended = try await outcome(of: [programPath(name)] + own + ["--", "true"])
            #expect(ended.status == 0, "\(name) \(arguments): \(ended.lines)")
        case "bluejay":
            // Some subcommands write to the current folder.
            let folder = URL(filePath: deviceFile.isEmpty ? "/" : deviceFile)
                .deletingLastPathComponent().path
            let ended = try await outcome(
                of: ["env", "-C", folder, programPath(name)] + arguments,
                environment: [
                    "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent",
                    "XDG_STATE_HOME": "/nonexistent",
                ]
            )
            #expect(ended.status != 64, "bluejay \(arguments): \(ended.lines)")
            if let command = arguments.split(separator: "--").dropFirst().first {
                try await check(Array(command))
            }
        default:
            // Demos and programs of tests, with swift-argument-parser.
            let subcommand = arguments.first.map { !$0.hasPrefix("-") } == true
            let help = try await outcome(
                of: [programPath(name)] + arguments.prefix(subcommand ? 1 : 0) + ["--help"]
            )
            #expect(help.status == 0, "\(name): \(help.lines)")
            let text = help.lines.joined(separator: "\n")
            if subcommand { #expect(text.contains("USAGE: \(name) \(arguments[0])")) }
            for option in arguments.prefix(while: { $0 != "--" }) where option.hasPrefix("--") {
                #expect(text.contains(option), "\(name) has no \(option)")
            }
        }
    }
}
