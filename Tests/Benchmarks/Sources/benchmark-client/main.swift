// The client for Tests/Benchmarks/run and count, the counterpart of the programs in C.
//
//     benchmark-client callbacks ROW COUNT [SIZE]    a central on the main loop
//     benchmark-client thread ROW COUNT [SIZE]       the same on a separate loop
//     benchmark-client async ROW COUNT [SIZE]        async/await from the pool, with a separate loop
//     benchmark-client async-main ROW COUNT [SIZE]   async/await from the main actor
//     benchmark-client task ROW COUNT [SIZE]         in a background task
//     benchmark-client serve ROW COUNT [SIZE]        an application of bluetoothd
//     benchmark-client peripheral hci1 1 [SIZE]      the device of C/bluetoothd.c, on an adapter
//
// The rows are those of C/central.c, and `queue`, `cancel` and `drain`; for an application `serve` and
// `serve-notify`. It prints `ready` after the setup, waits for a line, runs the row and prints its cost.
import Bluejay
import BluejayAsync
import Glibc

let arguments = CommandLine.arguments
guard arguments.count > 3, let count = Int(arguments[3]), count > 0 else {
    fail("usage: benchmark-client callbacks|thread|async|async-main|task|serve ROW COUNT [SIZE]")
}
let size = arguments.count > 4 ? Int(arguments[4]) ?? 20 : 20
let job = Job(row: arguments[2], count: count, size: size)

switch arguments[1] {
case "callbacks":
    let central = Central(job)
    central.start()
    withExtendedLifetime(central) { MainLoop.main.run() }
case "thread":
    let loop = MainLoop(threadName: "bluetooth")
    loop.post { [job] in
        let central = Central(job, loop)
        central.start()
        // Retain the central until the program ends.
        _ = Unmanaged.passRetained(central)
    }
    while true { pause() }
case "async":
    let bluejay = Bluejay(
        mainLoop: MainLoop(threadName: "bluetooth"),
        adapter: World.adapter
    )
    let central = AsyncCentral(job: job, bluejay: bluejay)
    Task.detached {
        await bluejay.start()
        await central.playOrFail()
    }
    while true { pause() }
case "async-main":
    let bluejay = Bluejay(adapter: World.adapter)
    bluejay.start()
    let central = AsyncCentral(job: job, bluejay: bluejay)
    Task { @MainActor in await central.playOrFail() }
    MainLoop.main.run()
case "task":
    let central = TaskCentral(job)
    central.start()
    withExtendedLifetime(central) { MainLoop.main.run() }
case "serve":
    let application = Application(job)
    application.start()
    withExtendedLifetime(application) { MainLoop.main.run() }
case "peripheral":
    let peripheral = Peripheral(job)
    peripheral.start()
    withExtendedLifetime(peripheral) { MainLoop.main.run() }
default: fail("unknown way \(arguments[1])")
}
