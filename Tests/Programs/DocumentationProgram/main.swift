import Bluejay
import Foundation

// The program that `DocumentationTests` runs for blocks that need a separate process: for the main loop, the
// system bus, or a restart.

switch CommandLine.arguments.dropFirst().first {
case "first-steps": takeFirstSteps()
case "app-delegate":
    run(AppDelegate()) { app in
        let isLaunched = app.application(didFinishLaunchingWithOptions: nil)
        printLine("launched \(isLaunched)")
    }
case "session": Session().start()
case "task":
    // Task closures at the top level of a program are isolated to the main actor, too.
    bluejay.start()
    bluejay.scan(serviceIdentifiers: [ServiceIdentifier(uuid: "180D")]) { discovery, _ in
        .connect(discovery) { _ in
            bluejay.run(
                backgroundTask: { peripheral -> UInt8 in
                    let service = ServiceIdentifier(uuid: "180D")
                    return try peripheral.read(
                        from: CharacteristicIdentifier(uuid: "2A39", service: service)
                    )
                },
                completionOnMainThread: { result in
                    if case .success(let value) = result { printLine("task \(value)") }
                }
            )
        }
    } stopped: { _, _ in
    }
    MainLoop.main.run()
case "relauncher": run(Relauncher()) { $0.start() }
case "stopping-relauncher": run(StoppingRelauncher()) { $0.start() }
default: printLine("which program?")
}
