internal import ArgumentParser
internal import BusTrace

/// Prints a trace file, and marks the lines that some recordings lack.
struct ShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print the numbered recordings of a file.",
        discussion: "A ? marks events that some recordings lack."
    )

    @Argument(help: "The trace file.")
    var file: String

    func run() throws {
        let file = try TraceFile(contentsOf: file)
        for (index, recording) in file.recordings.enumerated() {
            if index > 0 { print() }
            print("\(file.kind), \(recording.count) of \(file.count) recordings")
            let others = file.traces.map { Set($0.events) }
            for (number, event) in recording.trace.events.enumerated() {
                let mark = others.allSatisfy { $0.contains(event) } ? " " : "?"
                let place = String(number + 1)
                print(String(repeating: " ", count: max(0, 4 - place.count)) + place, mark, event)
            }
        }
    }
}
