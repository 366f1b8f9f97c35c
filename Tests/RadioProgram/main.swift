// A program as a user of PocketMesh writes it: prints phases and packets of one radio until it is ended.
//
//   radio-program DEVICE [--activate] [--main]
import Foundation
import PocketMesh

let arguments = CommandLine.arguments
let isOnMainLoop = arguments.contains("--main")
guard arguments.count > 1, let device = UUID(uuidString: arguments[1]) else {
    print("which radio?")
    exit(2)
}
setlinebuf(stdout)

let radio = BLEStateMachine(
    restoreIdentifier: "radio-program",
    host: BluetoothHost(mainLoop: isOnMainLoop ? .main : .background, adapter: "hci0")
)

@Sendable func read(_ stream: AsyncStream<Data>) async {
    for await value in stream { print("value \(Array(value))") }
}

@Sendable func begin() async {
    let phases = await radio.phases
    Task { for await phase in phases { print("phase \(phase.name)") } }
    await radio.setReconnectionHandler { _, stream in
        print("back")
        Task { await read(stream) }
    }
    await radio.setAutoReconnectingHandler { _ in print("lost") }
    await radio.setDisconnectionHandler { _, error in
        print("gone \(error.map { "\($0)" } ?? "")")
    }
    await radio.activate()
    guard !arguments.contains("--activate") else { return }
    do {
        await read(try await radio.connect(to: device))
    } catch {
        print("error \(error)")
        exit(1)
    }
}

if isOnMainLoop {
    Task { await begin() }
    MainLoop.main.run()
    print("phase at the end \(MainLoop.main.isCurrent)")
} else {
    await begin()
    // For ever: whoever is killed is not asked.
    while true { try? await Task.sleep(for: .seconds(3600)) }
}
