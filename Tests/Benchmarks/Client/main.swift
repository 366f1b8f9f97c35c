// The rows of the bus layer alone for Tests/Benchmarks/count, the counterpart of C/central.c. The rows of the
// public API are in the package Tests/Benchmarks.
//
//     bench-client bus-read|bus-write|bus-notify COUNT
//
// It prints `ready` after the setup, waits for a line, runs the row COUNT times and exits.
import BluejayGLib
import Foundation

func fail(_ text: String) -> Never {
    FileHandle.standardError.write(Data("bench-client: \(text)\n".utf8))
    exit(1)
}

/// Prints `ready` and waits for a line; nothing else runs meanwhile.
func waitForStart() {
    print("ready")
    fflush(nil)
    _ = readLine()
}

let arguments = CommandLine.arguments
let row = arguments.count > 1 ? arguments[1] : ""
let count = arguments.count > 2 ? Int(arguments[2]) ?? 0 : 0

guard row.hasPrefix("bus-"), count > 0 else {
    fail("usage: bench-client bus-read|bus-write|bus-notify COUNT")
}
let bus = try BareBus(row, count)
bus.start()
withExtendedLifetime(bus) { MainLoop.main.run() }
