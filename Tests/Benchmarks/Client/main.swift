// What Tests/Benchmarks/count counts, beside C/central.c and C/application.c.
//
//     bench-client read|write|notify|scan COUNT     a central on the main loop
//     bench-client bus-read|bus-write|bus-notify COUNT
//                                                   the same by the bus layer alone
//     bench-client serve                            an application of bluetoothd
//
// It says `ready` when all is set up, waits for a line, does the row COUNT times and ends.
import Bluejay
import BluejayGATTServer
import Foundation

func uuid(_ number: Int) -> BluetoothUUID {
    BluetoothUUID(string: "12345678-1234-5678-1234-56789abcdef\(number)")
}

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

if row == "serve" {
    let application = Application()
    waitForStart()
    application.start()
    withExtendedLifetime(application) { MainLoop.main.run() }
} else if ["read", "write", "notify", "scan"].contains(row), count > 0 {
    let central = Central(row, count)
    central.start()
    withExtendedLifetime(central) { MainLoop.main.run() }
} else if row.hasPrefix("bus-"), count > 0 {
    let bus = try BareBus(row, count)
    bus.start()
    withExtendedLifetime(bus) { MainLoop.main.run() }
} else {
    fail("usage: bench-client read|write|notify|scan COUNT, bus-..., or serve")
}
