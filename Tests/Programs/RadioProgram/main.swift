// A program as a user of PocketMesh writes it: prints phases and packets of one radio until it is terminated.
//
//   radio-program DEVICE [--activate] [--main]
import Foundation
import PocketMesh

/// Prints without buffering, because the program may be killed.
@Sendable func printLine(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}

let arguments = CommandLine.arguments
let isOnMainLoop = arguments.contains("--main")
guard arguments.count > 1, let device = UUID(uuidString: arguments[1]) else {
    printLine("which radio?")
    exit(2)
}
let radio = BLEStateMachine(
    restoreIdentifier: "radio-program",
    host: BluetoothHost(mainLoop: isOnMainLoop ? .main : .background, adapter: "hci0")
)

@Sendable func read(_ stream: AsyncStream<Data>) async {
    for await value in stream { printLine("value \(Array(value))") }
}

@Sendable func start() async {
    let phases = await radio.phases
    Task { for await phase in phases { printLine("phase \(phase.name)") } }
    await radio.setReconnectionHandler { _, stream in
        printLine("back")
        Task { await read(stream) }
    }
    await radio.setAutoReconnectingHandler { _ in printLine("lost") }
    await radio.setDisconnectionHandler { _, error in
        printLine("gone \(error.map { "\($0)" } ?? "")")
    }
    await radio.activate()
    guard !arguments.contains("--activate") else { return }
    do {
        await read(try await radio.connect(to: device))
    } catch {
        printLine("error \(error)")
        exit(1)
    }
}

if isOnMainLoop {
    Task { await start() }
    MainLoop.main.run()
} else {
    await start()
    // Runs until the process is killed.
    while true { try? await Task.sleep(for: .seconds(3600)) }
}
