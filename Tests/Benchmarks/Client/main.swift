// What Tests/Benchmarks/count counts of the bus layer alone, beside C/central.c. What users see is in
// the package Tests/Benchmarks.
//
//     bench-client bus-read|bus-write|bus-notify COUNT
//
// It says `ready` when all is set up, waits for a line, does the row COUNT times and ends.
import BluejayGLib
import Foundation

func fail(_ text: String) -> Never {
    FileHandle.standardError.write(Data("bench-client: \(text)\n".utf8))
    exit(1)
}

/// Says that all is set up and waits for a line; nothing else runs meanwhile.
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
