// A program as a user of PocketMesh writes it: prints phases and packets of one radio until it is terminated.
//
//   radio-program DEVICE [--activate] [--main]
import Foundation
import PocketMesh

/// Prints without buffering, because the program may be killed.
@Sendable func say(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}

let arguments = CommandLine.arguments
let isOnMainLoop = arguments.contains("--main")
guard arguments.count > 1, let device = UUID(uuidString: arguments[1]) else {
    say("which radio?")
    exit(2)
}
let radio = BLEStateMachine(
    restoreIdentifier: "radio-program",
    host: BluetoothHost(mainLoop: isOnMainLoop ? .main : .background, adapter: "hci0")
)

@Sendable func read(_ stream: AsyncStream<Data>) async {
    for await value in stream { say("value \(Array(value))") }
}

@Sendable func begin() async {
    let phases = await radio.phases
    Task { for await phase in phases { say("phase \(phase.name)") } }
    await radio.setReconnectionHandler { _, stream in
        say("back")
        Task { await read(stream) }
    }
    await radio.setAutoReconnectingHandler { _ in say("lost") }
    await radio.setDisconnectionHandler { _, error in
        say("gone \(error.map { "\($0)" } ?? "")")
    }
    await radio.activate()
    guard !arguments.contains("--activate") else { return }
    do {
        await read(try await radio.connect(to: device))
    } catch {
        say("error \(error)")
        exit(1)
    }
}

if isOnMainLoop {
    Task { await begin() }
    MainLoop.main.run()
} else {
    await begin()
    // Runs until the process is killed.
    while true { try? await Task.sleep(for: .seconds(3600)) }
}
