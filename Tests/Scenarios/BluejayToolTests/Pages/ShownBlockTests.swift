import BluejayDeviceFile
import BluejayExplainer
import BluejayYAML
import Foundation
import Staging
import TestSupport
import Testing

/// Each block of a page in another language than Swift has exactly one check, which produces or compares it.
@Suite("The blocks of the pages", .timeLimit(.minutes(15)))
struct ShownBlockTests {
    private struct Check: Sendable {
        let name: String
        let fits: @Sendable (ShownBlock) -> Bool
        let run: @Sendable (ShownBlock) async throws -> Void
    }

    private static let blocks = Page.all.flatMap(\.blocks).filter { $0.language != "swift" }

    /// The checks; a block without a language is recognised by its content, wherever it is shown.
    private static let checks = [
        language("sh", checkShell), device("json"), faults, device("yaml"),
        language("ini", checkUnit), language("dockerfile", checkImage),
        language("python", checkPython), language("bluetoothctl", checkJobs),
        content("a session", { $0.lines.contains { $0.hasPrefix("$ ") } }, checkSession),
        content("an explanation", { $0.joined.contains(" TOOK ") }, checkExplanation),
        content("a log", { $0.joined.contains(#/(trace|debug) bluejay\./#) }, checkLog),
        output("Heart Rate Sensor (", of: "first-scan", "--heart-rate-sensor"),
        output("60 beats", of: "first-program", "--heart-rate-sensor"),
        output("connect: no peripheral", of: "first-program", "--adapters=2"),
        output("connect: Bluetooth is not", of: "first-program", "--powered-off"),
        content("an error", { $0.joined.contains("(line ") }, checkFileError),
        content("settings of ssh", { $0.joined.hasPrefix("Host ") }, checkSettings),
        content("a dependency", { $0.joined.hasPrefix(".product(") }, checkDependency),
        content("a message", { $0.lines.count > 2 && $0.lines[1].isEmpty }, checkMessage),
        content("layers", { $0.joined.hasPrefix("Tool ") }, checkLayers),
        content("phases", { $0.joined.contains("──►") }, checkPhases),
        content("a screen", { $0.lines.first?.hasPrefix("Box (") == true }, checkScreen),
        content("two systems", { $0.joined.hasPrefix("// iOS ") }, checkColumns),
    ]

    private static func device(_ language: String) -> Check {
        Check(
            name: "a device in \(language)",
            fits: { $0.language == language && !faults.fits($0) },
            run: { try checkDevice($0) }
        )
    }

    /// The file of faults, which the simulator must accept.
    private static let faults = Check(
        name: "faults",
        fits: { $0.language == "json" && $0.joined.contains(#""faults":"#) },
        run: checkFaults
    )

    private static func checkFaults(_ block: ShownBlock) async throws {
        try await withFile(text(of: block), named: "faults.json") { path in
            let command = [programPath("bluez-simulator"), "--faults", path, "--", "true"]
            let status = try await outcome(of: command).status
            #expect(status == 0)
        }
    }

    private static func language(
        _ language: String,
        _ run: @escaping @Sendable (ShownBlock) async throws -> Void
    ) -> Check {
        Check(name: language, fits: { $0.language == language }, run: run)
    }

    private static func content(
        _ name: String,
        _ fits: @escaping @Sendable (ShownBlock) -> Bool,
        _ run: @escaping @Sendable (ShownBlock) async throws -> Void
    ) -> Check {
        Check(name: name, fits: { $0.language.isEmpty && fits($0) }, run: run)
    }

    /// The output of a program on the simulated BlueZ.
    private static func output(
        _ beginning: String,
        of program: String,
        _ option: String
    ) -> Check {
        content(beginning, { $0.joined.hasPrefix(beginning) }) { block in
            let running = try await RunningProgram(
                "bluez-simulator",
                [option, "--", "stdbuf", "-oL", programPath(program)]
            )
            try await wait {
                running.status != nil || running.lines.joined(separator: " ") == block.joined
            }
            #expect(running.lines.joined(separator: " ") == block.joined)
            _ = await running.end(SIGTERM)
        }
    }

    @Test("Each block is what its check produces", arguments: blocks)
    func produced(block: ShownBlock) async throws {
        let fitting = Self.checks.filter { $0.fits(block) }
        #expect(fitting.map(\.name).count == 1, "checks: \(fitting.map(\.name))")
        for check in fitting { try await check.run(block) }
    }

    @Test("Each check has a block", arguments: checks.map(\.name))
    func used(name: String) {
        let check = Self.checks.first { $0.name == name }
        #expect(Self.blocks.contains { check?.fits($0) == true })
    }

    /// The words in backticks.
    private static func words(of cells: [String]) -> [String] {
        cells.flatMap { $0.matches(of: #/`([^`]+)`/#).map { String($0.1) } }
    }

    @Test("Each option and exit status in a table is in the help of its program")
    func tables() async throws {
        func help(_ command: String...) async throws -> String {
            let arguments = command.dropFirst() + ["--help"]
            return try await outcome(of: [programPath(command[0])] + arguments).lines
                .joined(separator: "\n")
        }
        var counts: [String: Int] = [:]
        for page in Page.all {
            for row in page.rows {
                let words = Self.words(of: row.cells)
                let options = words.filter { $0.hasPrefix("--") }
                if row.cells.first?.hasPrefix("`--") == true {
                    let simulator = try await help("bluez-simulator")
                    for part in options.flatMap({ $0.split(separator: " ") })
                    where part.contains(#/^--|\d/#) {
                        #expect(simulator.contains(part), "bluez-simulator has no \(part)")
                        counts["option", default: 0] += 1
                    }
                } else if row.head == "subcommand" {
                    for name in Self.words(of: Array(row.cells.prefix(1))) {
                        let subcommand = String(name.split(separator: " ")[0])
                        let text = try await help("bluejay", subcommand)
                        #expect(text.contains("USAGE: bluejay \(subcommand)"))
                        for option in options {
                            #expect(text.contains(option), "\(subcommand) has no \(option)")
                        }
                        counts["subcommand", default: 0] += 1
                    }
                } else if row.head == "status" {
                    let text = try await help("bluejay")
                    for status in row.cells[0].split(separator: ",").map(ShownBlock.squeezed) {
                        #expect(text.contains("\n  \(status) "), "\(status) is no status")
                        counts["status", default: 0] += 1
                    }
                }
            }
        }
        #expect((counts["option"] ?? 0) >= 12)
        #expect((counts["subcommand"] ?? 0) >= 16)
        #expect((counts["status"] ?? 0) >= 8)
    }

    @Test("A block that no check knows is seen, and a command is taken apart as by a shell")
    func sensitivity() {
        let text = "A=1 b 'c d' \\\n  --e  # f\n$(g (h) i) | sudo k > l && m"
        #expect(
            shellCommands(text) == [
                ["A=1", "b", "c d", "--e"], ["g (h) i"], ["sudo", "k"], ["m"],
            ]
        )
        let page = Page(path: "P.md", lines: ["- a", "  ```Sh", "  b", "  ```", "```", "c", "```"])
        #expect(page.blocks.map(\.language) == ["sh", ""])
        #expect(page.blocks.map(\.lines) == [["b"], ["c"]])
        #expect(Self.checks.map { $0.fits(page.blocks[1]) }.contains(true) == false)
    }

    // MARK: Programs and sessions

    private static func withFile(
        _ text: String,
        named name: String,
        _ body: (String) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "shown-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: name)
        try Data(text.utf8).write(to: file)
        try await body(file.path)
    }

    private static func text(of block: ShownBlock?) -> String {
        (block?.lines ?? []).joined(separator: "\n") + "\n"
    }

    private static func checkShell(_ block: ShownBlock) async throws {
        let device = blocks.first { $0.language == "json" }
        try await withFile(text(of: device), named: "sensor.json") { path in
            try await ShellChecks(deviceFile: path).check(text(of: block))
        }
    }

    private static func checkSession(_ block: ShownBlock) async throws {
        var commands: [(command: String, lines: [String])] = []
        for line in block.lines where !line.isEmpty {
            if line.hasPrefix("$ ") {
                commands.append((String(line.dropFirst(2)), []))
            } else if let last = commands.last?.lines.last, last.hasPrefix("{"),
                !last.hasSuffix("}")
            {
                // A line of JSON that is too long for a page.
                commands[commands.count - 1].lines.removeLast()
                commands[commands.count - 1].lines.append(last + ShownBlock.squeezed(line))
            } else {
                // A remark of the page behind the output.
                let output = line.replacing(#/ +\(the [^)]*\)$/#, with: "")
                commands[commands.count - 1].lines.append(ShownBlock.squeezed(output))
            }
        }
        try await ToolStage.play { stage in
            for (command, lines) in commands {
                let outcome = try await stage.shell(command)
                let output = outcome.lines.map(ShownBlock.squeezed)
                #expect(output.map(withoutTime) == lines.map(withoutTime), "\(command)")
                #expect(outcome.status == 0)
                for line in lines where line.hasPrefix("{") {
                    #expect(try JSONSchema.ofTool().problems(in: line) == [], "\(line)")
                }
            }
        }
    }

    // The sentence is about the shown times: on a busy computer, another part is the longest.
    private static func checkExplanation(_ block: ShownBlock) async throws {
        let explained = ExplainedCommand(block.lines)
        try await ToolStage.play { stage in
            let outcome = try await stage.run("explain", "read", "Heart Rate Sensor", "2A38")
            #expect(ExplainedCommand(outcome.lines).texts == explained.texts)
        }
        var script = EventScript.connected()
        script.change(200, EventScript.sensor, ["Device1.Alias": "Heart Rate Sensor"])
        let disconnect = script.call(210, "Device1.Disconnect", EventScript.sensor)
        script.reply(2_215, disconnect)
        let conclusion = Conclusion(script.timeline(until: 2_220))
        #expect(explained.sentences.joined(separator: " ") == conclusion.sentences.joined())
    }

    /// A line of a log without what differs between two runs.
    private static func normalized(_ line: some StringProtocol) -> String {
        ShownBlock.squeezed(line)
            .replacing(#/^(…|\d{4}-\S+Z) /#, with: "")
            .replacing(#/instance=[0-9A-F]{8}/#, with: "instance=")
            .replacing(#/(operation|serial)=\d+/#) { "\($0.1)=" }
            .replacing(#/took=[0-9.]+(ms|µs|s)/#, with: "took=")
            .replacing(#/dev_(…|[0-9A-F_]+(\/service[0-9a-f]{4})?)/#, with: "dev_")
            .replacing(#/char[0-9a-f]{4}/#, with: "char")
    }

    private static func checkLog(_ block: ShownBlock) async throws {
        // A line that is too long for a page continues with an indentation.
        var expected: [String] = []
        for line in block.lines {
            if line.hasPrefix(" "), let last = expected.popLast() {
                expected.append(last + line)
            } else {
                expected.append(line)
            }
        }
        expected = expected.map { normalized($0) }
        let level = expected.contains { $0.hasPrefix("trace") } ? "trace" : "debug"
        try await ToolStage.play { stage in
            let log = try await stage.shell(
                "BLUEJAY_LOG=\(level) bluejay read 'Heart Rate Sensor' 2A38"
            )
            var rest = log.lines.map { normalized($0) }[...]
            for line in expected {
                let place = rest.firstIndex(of: line)
                #expect(place != nil, "not in this order in the log: \(line)\n\(Array(rest))")
                rest = rest[((place ?? rest.startIndex) + 1)...]
            }
        }
    }

    private static func checkPython(_ block: ShownBlock) async throws {
        let program = """
            import asyncio
            from bleak import BleakClient, BleakScanner


            \(text(of: block))
            """
        let device = """
            {"version": 1, "address": "C4:7C:8D:6A:1F:02", "addressType": "random",
             "name": "Heart Rate Sensor", "advertises": ["180D"], "services": [
             {"uuid": "180D", "characteristics": [
             {"uuid": "2A38", "properties": ["read"], "value": "01"}]}]}
            """
        let python = ProcessInfo.processInfo.environment["STRANGERS_PYTHON"] ?? ""
        try await withFile(program, named: "page.py") { path in
            let compiled = try await outcome(of: ["python3", "-m", "py_compile", path])
            #expect(compiled == Outcome([]))
            // `Tests/run` has a Python with bleak.
            guard !python.isEmpty else { return }
            try await withFile(device, named: "sensor.json") { sensor in
                let ended = try await outcome(
                    of: [programPath("bluez-simulator"), "--device", sensor, "--", python, path]
                )
                #expect(ended == Outcome(["1"]))
            }
        }
    }

    /// `Tests/run` types the lines into bluetoothctl; here, the table of the page has their numbers.
    private static func checkJobs(_ block: ShownBlock) async throws {
        let script = repositoryFile("Tests/ExternalPeers/five_jobs.py").path
        let counted = try await outcome(of: ["python3", "-B", script, "--count"])
        #expect(counted == Outcome([]))
    }

    // MARK: Files

    private static func checkDevice(_ block: ShownBlock) throws {
        let (json, yaml) = (
            blocks.first { $0.language == "json" }, blocks.first { $0.language == "yaml" }
        )
        let device = try DeviceFile(Data(text(of: json).utf8), .json)
        #expect(try DeviceFile(Data(text(of: yaml).utf8), .yaml) == device)
        #expect(json?.line == block.line || yaml?.line == block.line, "another device")
    }

    private static func checkFileError(_ block: ShownBlock) {
        let json = text(of: blocks.first { $0.language == "json" })
        let broken = json.replacing(#""value": "01"}"#, with: #""value": "0"}"#)
        #expect(broken != json)
        let error = #expect(throws: DeviceFileError.self) {
            try DeviceFile(Data(broken.utf8), .json)
        }
        #expect(error.map { "\($0)" } == block.joined)
    }

    private static func file(_ path: String) throws -> String {
        try String(contentsOf: repositoryFile(path), encoding: .utf8)
    }

    private static func checkScreen(_ block: ShownBlock) throws {
        let folder = "Tests/Scenarios/BluejayToolTests/Terminal/Screens/80x24"
        let lines = try file("\(folder)/inspector-device.txt").components(separatedBy: "\n")
        #expect(block.lines == lines.filter { !$0.isEmpty })
    }

    private static func checkUnit(_ block: ShownBlock) throws {
        let shown = text(of: block)
        let service = try file("Tests/Programs/NewcomerPrograms/Package/heart-rate.service")
        let demo = try file("Demos/MQTT/bluejay-mqtt@.service")
        // The head of the demo explains the installation, as the page does.
        #expect(
            [service, demo.components(separatedBy: "\n\n").dropFirst().joined(separator: "\n\n")]
                .contains(shown)
        )
    }

    private static func checkSettings(_ block: ShownBlock) async throws {
        let ssh = try await outcome(of: ["sh", "-c", "command -v ssh"])
        try #require(ssh.status == 0, "ssh is missing: .ci/prepare tests installs it")
        try await withFile(text(of: block), named: "config") { path in
            let host = try #require(block.joined.split(separator: " ").dropFirst().first)
            let settings = try await outcome(of: ["ssh", "-G", "-F", path, String(host)])
            #expect(settings.status == 0)
            for line in block.lines.dropFirst() {
                let words = line.split(separator: " ")
                let setting = "\(words[0].lowercased()) \(words[1])"
                #expect(settings.lines.contains(setting), "\(setting)")
            }
        }
    }

    private static func checkImage(_ block: ShownBlock) async throws {
        let tools = try #require(
            try file("Package.swift").firstMatch(of: #/swift-tools-version: (\d+)\.(\d+)/#)
        )
        let lines = text(of: block).replacing("\\\n", with: " ").split(separator: "\n")
        var releases: Set<Substring> = []
        for line in lines {
            let parts = line.split(separator: " ", maxSplits: 1)
            switch parts[0] {
            case "FROM":
                if let image = parts[1].firstMatch(of: #/^swift:(\d+)\.(\d+)(-[a-z]+)?/#) {
                    let version = (Int(image.1) ?? 0, Int(image.2) ?? 0)
                    #expect(version >= (Int(tools.1) ?? 0, Int(tools.2) ?? 0))
                    if let release = image.3 { releases.insert(release.dropFirst()) }
                } else {
                    let image = try #require(parts[1].wholeMatch(of: #/debian:([a-z]+)-slim/#))
                    releases.insert(image.1)
                }
            case "RUN": try await ShellChecks(deviceFile: "").check(String(parts[1]))
            case "COPY" where parts[1].hasPrefix("--from=build "):
                let built = parts[1].split(separator: " ")[1]
                try await ShellChecks(deviceFile: "").check("install \(built)")
            case "COPY": #expect(parts[1] == ". /src")
            case "WORKDIR": #expect(parts[1] == "/src")
            case "CMD":
                let program = parts[1].trimmingCharacters(in: ["[", "]", "\""])
                #expect(lines.contains { $0.contains("--product \(program)") })
                #expect(lines.contains { $0.contains("/release/\(program) ") })
            default: Issue.record("unknown instruction \(line)")
            }
        }
        // The libraries of one release do not fit another one.
        #expect(releases.count <= 1)
    }

    private static func checkDependency(_ block: ShownBlock) throws {
        let product = try #require(
            block.joined.wholeMatch(of: #/\.product\(name: "(\w+)", package: "bluejay"\)/#)
        )
        let manifest = try file("Package.swift")
        let products = manifest.components(separatedBy: "products: [").dropFirst().first?
            .components(separatedBy: "]").first
        #expect(products?.contains("\"\(product.1)\"") == true)
    }

    /// The rules for messages: a subject of at most 72 characters in the imperative, then a body.
    private static func checkMessage(_ block: ShownBlock) throws {
        let subject = try #require(block.lines[0].wholeMatch(of: #/[a-z0-9]+: ([a-z]+) .*[^.]/#))
        #expect(block.lines[0].count <= 72)
        #expect(!subject.1.hasSuffix("ed") && !subject.1.hasSuffix("s"))
        #expect(block.lines.allSatisfy { $0.count <= 72 })
    }

    // MARK: Drawings

    private static func checkLayers(_ block: ShownBlock) {
        let layers: Set = ["Tool", "Systems", "Library", "Engine", "Ports", "Testing"]
        let systems: Set = ["PocketMesh", "GameHost", "MeshPeer", "Bleu"]
        var layer = ""
        var count = 0
        for line in block.lines {
            var current = layer
            for word in line.split(whereSeparator: { !$0.isLetter && !$0.isNumber }).map(
                String.init
            ) {
                if layers.contains(word) {
                    if current == layer, ShownBlock.squeezed(line).hasPrefix(word) { layer = word }
                    current = word
                } else if word.contains("Bluejay") || systems.contains(word) {
                    let folder = repositoryFile("Sources/\(current)/\(word)").path
                    #expect(FileManager.default.fileExists(atPath: folder), "\(current)/\(word)")
                    count += 1
                }
            }
        }
        #expect(count >= 14)
    }

    private static func checkPhases(_ block: ShownBlock) throws {
        let source = try file("Sources/Systems/PocketMesh/API/BLEPhase.swift")
        let cases = source.matches(of: #/(?m)^    case (\w+)/#).map { String($0.1) }
        let drawn = block.joined.replacing("link lost", with: "")
            .split { !$0.isLetter }.map(String.init)
        #expect(drawn.count == Set(drawn).count)
        // The way back to idle, which every phase has, is in the text below the drawing.
        #expect(Set(cases).subtracting(drawn) == ["disconnecting"])
        #expect(Set(drawn).isSubset(of: cases))
    }

    /// The code of both systems is compiled by the tests.
    private static func checkColumns(_ block: ShownBlock) throws {
        let document = try file("Tests/Programs/DocumentationProgram/AppDelegate.swift")
        var count = 0
        for line in block.lines.dropFirst() {
            for column in line.components(separatedBy: "//") {
                let code = ShownBlock.squeezed(column)
                guard code.contains("("), !code.contains("…") else { continue }
                let isCompiled = document.contains(code) || code == "MainLoop.main.run()"
                #expect(isCompiled, "\(code)")
                count += 1
            }
        }
        #expect(count >= 3)
    }
}
