import ArgumentParser
import BluejayDBus
import BluejaySimulator
import BluejayTesting
import Foundation

/// Random calls, strangers and faults for every product, in virtual time.
@main
struct ProductSchedulesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "product-schedules",
        abstract: "Play random schedules of all products on the simulated BlueZ, in virtual time.",
        discussion: """
            Prints each kind of violation with its seeds and the shortest schedule that causes it. \
            Exits with 0 if no rule was violated.
            """
    )

    @Option(help: "The products, separated by commas. Default: all.")
    var product: String?

    @Option(help: "The number of schedules.")
    var count = 1_000

    @Option(help: "Play the schedule of this seed, --count times.")
    var seed: UInt64?

    @Option(help: "The first seed. Default: random.")
    var from: UInt64?

    @Option(help: "The number of processes that play at once.")
    var lanes = 2

    @Option(help: "Play only these steps of the schedule, for example 0,3,4.")
    var steps: String?

    @Option(help: "Play only these faults of the schedule, for example 0.")
    var faults: String?

    @Option(help: "The number of seconds for shortening failed schedules.")
    var shrinking = 60

    @Flag(help: "Print the events of each failed schedule.")
    var story = false

    @Flag(help: "Print the schedule of --seed without playing it.")
    var show = false

    @Flag(help: .hidden)
    var lane = false

    func validate() throws {
        for name in names where Products.type(name) == nil {
            throw ValidationError(
                "unknown product \(name); use \(Products.all.map(\.name).joined(separator: ", "))"
            )
        }
    }

    private var names: [String] {
        product?.split(separator: ",").map(String.init) ?? Products.all.map(\.name)
    }

    private var selection: Selection {
        Selection(steps: Selection.numbers(steps), faults: Selection.numbers(faults))
    }

    func run() async throws {
        // The schedules kill bluetoothd often: do not log that each time.
        unsafe setenv("BLUEJAY_LOG", "critical", 0)
        guard !lane else { return try await runLane() }
        let first = seed ?? from ?? UInt64.random(in: 1...9_999) * 100_000
        if show {
            for name in names { Products.show(name, seed: first, selection) }
            return
        }
        try LaneProcess.makeFolder()
        defer { LaneProcess.removeFolder() }
        let run = LaneRun(names, selection, printsStory: story)
        let begin = ContinuousClock.now
        printLine("\(count) schedules from seed \(first), \(lanes) at once")
        let seeds = (0..<UInt64(count)).map { seed ?? first + $0 }
        try await run.play(seeds, lanes: max(1, min(lanes, count)))
        printLine("\(run.playedCount) played in \(ContinuousClock.now - begin)")
        try await run.report(shrinkingWithin: .seconds(shrinking))
        if !run.isClean { throw ExitCode.failure }
    }

    /// Plays the seeds of standard input until the first failure, in this process.
    private func runLane() async throws {
        var options = SimulatorOptions()
        options.version = .v5_86
        options.adapters = 2
        let world = try await TestWorld.make(options)
        try await world.run { [selection, names, story] in
            let stage = try Stage(world)
            let baseline = await stage.busResources()
            while let line = readLine(), let seed = UInt64(line) {
                let name = names[Int(seed % UInt64(names.count))]
                let ledger = try await Products.play(name, seed, selection, stage, baseline)
                if story { for line in ledger.story { printLine("story\t\(line)") } }
                guard ledger.violations.isEmpty else {
                    for violation in ledger.violations {
                        printLine("violation\t\(violation.kind)\t\(violation.detail)")
                    }
                    return printLine("failed")
                }
                printLine("passed")
            }
        }
    }
}

/// The steps and the faults of a schedule that are played; `nil` means all.
struct Selection: Swift.Sendable {
    var steps: [Int]?
    var faults: [Int]?

    static func numbers(_ text: String?) -> [Int]? {
        text?.split(separator: ",").compactMap { Int($0) }
    }

    var arguments: [String] {
        func text(_ numbers: [Int]) -> String { numbers.map(String.init).joined(separator: ",") }
        return (steps.map { ["--steps", text($0)] } ?? [])
            + (faults.map { ["--faults", text($0)] } ?? [])
    }
}

extension Products {
    private static func schedule<P: ScheduledProduct>(
        _ product: P.Type,
        _ seed: UInt64,
        _ selection: Selection
    ) -> Schedule<P.Call> {
        Schedule(product, seed: seed)
            .keeping(steps: selection.steps, faults: selection.faults)
    }

    static func play(
        _ name: String,
        _ seed: UInt64,
        _ selection: Selection,
        _ stage: Stage,
        _ baseline: [String: Int]
    ) async throws -> Ledger {
        func play<P: ScheduledProduct>(_ product: P.Type) async throws -> Ledger {
            let schedule = schedule(product, seed, selection)
            return try await Playback<P>(schedule, on: stage, baseline: baseline).run()
        }
        guard let type = type(name) else { return Ledger() }
        return try await play(type)
    }

    static func lines(_ name: String, seed: UInt64, _ selection: Selection) -> [String] {
        func lines<P: ScheduledProduct>(_ product: P.Type) -> [String] {
            schedule(product, seed, selection).lines
        }
        return type(name).map { lines($0) } ?? []
    }

    /// Returns the numbers of steps and faults of a schedule.
    static func size(_ name: String, seed: UInt64) -> (steps: Int, faults: Int) {
        func size<P: ScheduledProduct>(_ product: P.Type) -> (steps: Int, faults: Int) {
            let schedule = Schedule(product, seed: seed)
            return (schedule.steps.count, schedule.faults.events.count)
        }
        return type(name).map { size($0) } ?? (0, 0)
    }

    static func show(_ name: String, seed: UInt64, _ selection: Selection) {
        printLine("\(name), seed \(seed)")
        for line in lines(name, seed: seed, selection) { printLine("    \(line)") }
    }
}

/// Prints a line without buffering, so that a crash loses no output.
func printLine(_ line: String) {
    FileHandle.standardOutput.write(Data("\(plain(line))\n".utf8))
}

/// Returns values without the names of modules and types.
private func plain(_ line: String) -> String {
    let names = /(product_schedules|BluejaySimulator)\.|(\w+Product|CentralStep|CentralWrite)\./
    let types = /(CentralSubscription|StrangerAction|Behavior|ScriptedChannel|Target|Served)\./
    return line.replacing(names, with: ".").replacing(types, with: ".")
        .replacing(/\.\.+/, with: ".")
}
