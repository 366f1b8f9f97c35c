import BluejayCore
import TestSupport
import Testing

@Suite("Command lines of the programs", .timeLimit(.minutes(15)))
struct CommandLineTests {
    static let demos = [
        "game-host", "game-player", "heart-sensor", "mesh-chat", "mesh-radio", "thermometer",
        "thermometer-reader", "virtual-peripheral",
    ]

    @Test("The help of each demo lists the exit statuses", arguments: demos)
    func help(name: String) async throws {
        let (lines, status) = try await runProgram(name, ["--help"])
        #expect(status == 0)
        let first = try #require(lines.firstIndex(of: "Exit status:"))
        let numbers = lines[(first + 1)...].prefix { $0.hasPrefix("  ") }
            .compactMap { $0.split(separator: " ").first.flatMap { Int($0) } }
        #expect(numbers == [0, 1, 64])
        let description = lines.prefix { !$0.hasPrefix("USAGE") }
        #expect(description.allSatisfy { $0.count <= 80 })
    }

    @Test("Without Bluetooth each demo prints an error and exits with 1", arguments: demos)
    func failure(name: String) async throws {
        let output = try await simulated(["--powered-off"], [name, "--for", "5"])
        #expect(output.status == 1)
        #expect(output.lines.contains { $0.hasPrefix("\(name): ") })
    }

    @Test("A successful demo exits with 0")
    func success() async throws {
        let output = try await simulated(["--heart-rate-sensor"], ["heart-sensor", "--for", "8"])
        #expect(output.status == 0)
        #expect(output.lines.contains { $0.hasPrefix("heart rate ") })
    }

    static let times = demos.flatMap { name in ["-1", "0", "nan", "inf"].map { (name, $0) } }

    @Test("An invalid duration is rejected with the accepted range", arguments: times)
    func seconds(name: String, text: String) async throws {
        let output = try await runProgram(name, ["--for", text], isErrorOutput: true)
        #expect(output.status == 64)
        let words = "Error: --for takes a number of seconds above 0, at most a billion"
        #expect(output.lines.first == words)
    }

    static let wrong = [
        (["heart-sensor", "--for", "soon"], "The value 'soon' is invalid for '--for <seconds>'"),
        (["mesh-radio", "--drop-after", "-2"], "--drop-after takes a number of seconds above 0"),
        (["game-host", "--players", "-3"], "--players takes a number from 2 to 8"),
        (["game-host", "--points", "-1"], "--points takes a number from 1"),
        (
            ["bluez-simulator", "--adapters", "-1", "--", "true"],
            "--adapters must be between 0 and 16"
        ),
        (
            ["bluez-simulator", "--time-scale", "-1", "--", "true"],
            "--time-scale must be between 0.0001 and 1000"
        ),
        (
            ["bluez-simulator", "sh", "--", "true"],
            "Unexpected argument 'sh'; write -- before the command"
        ),
        (
            ["bluez-simulator", "sh", "a"],
            "2 unexpected arguments: 'sh', 'a'; write -- before the command"
        ),
        (["bluez-simulator", "--adapter"], "Unknown option '--adapter'"),
        (["bluez-simulator", "-x", "--", "true"], "Unknown option '-x'"),
        (["bluez-simulator", "--adapters"], "Missing value for '--adapters <adapters>'"),
        (["bluez-simulator", "--kind", "--", "true"], "Missing value for '--kind <kind>'"),
        (["bluez-simulator", "--kind="], "Missing value for '--kind <kind>'"),
        (["bluez-simulator", "--device", "--no-adapter"], "Missing value for '--device <file>'"),
        (["bluez-simulator", "--adapters", "x"], "The value 'x' is invalid for '--adapters"),
        (
            ["bluez-simulator", "--kind=9"],
            "The value '9' is invalid for '--kind <kind>': unknown"
        ),
        (
            ["bluez-simulator", "--no-adapter=1"],
            "The option '--no-adapter' does not take any value, but '1' was specified."
        ),
    ]

    @Test("An invalid command line is rejected with the reason", arguments: wrong)
    func refused(command: [String], words: String) async throws {
        let arguments = Array(command.dropFirst())
        let output = try await runProgram(command[0], arguments, isErrorOutput: true)
        #expect(output.status == 64)
        #expect(output.lines.first?.hasPrefix("Error: \(words)") == true)
    }

    @Test(
        "The help lists the commands on standard input",
        arguments: ["mesh-radio", "virtual-peripheral"]
    )
    func typed(name: String) async throws {
        let (lines, _) = try await runProgram(name, ["--help"])
        let first = try #require(lines.firstIndex(of: "Commands on standard input:"))
        let list = lines[(first + 1)...].prefix { !$0.isEmpty }
        #expect(list.count == 5)
        #expect(list.allSatisfy { $0.hasPrefix("  ") && !$0.hasPrefix("   ") })
    }

    static let endings: [([String], Int32)] = [
        (["sh", "-c", "exit 7"], 7), (["sh", "-c", "kill -TERM $$"], 128 + 15),
        (["/nowhere/at/all"], 127), (["true"], 0),
    ]

    @Test(
        "The simulator exits with the status of its command, as documented in the help",
        arguments: endings
    )
    func simulator(command: [String], status: Int32) async throws {
        let output = try await runProgram("bluez-simulator", ["--"] + command)
        #expect(output.status == status)
        let (lines, _) = try await runProgram("bluez-simulator", ["--help"])
        let first = try #require(
            lines.firstIndex(of: "Exit status, unless it is that of the command:")
        )
        let numbers = lines[(first + 1)...].prefix { !$0.isEmpty }
            .compactMap { $0.split(separator: " ").first.flatMap { Int($0) } }
        #expect(numbers == [0, 1, 64, 127, 128])
    }

    private func simulated(
        _ options: [String],
        _ command: [String]
    ) async throws -> (lines: [String], status: Int32) {
        let script = "exec 2>&1; name=$1; shift; exec \"${0%/*}/$name\" \"$@\""
        // The first word of the shell command is the folder of the programs.
        let program = [programPath("bluez-simulator")] + command
        return try await runProgram(
            "bluez-simulator",
            options + ["--", "sh", "-c", script] + program
        )
    }
}
