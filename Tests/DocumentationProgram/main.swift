import Foundation

// What `DocumentationTests` runs where a block needs a program of its own: the main loop, the system
// bus, or a process that can be killed and started again.

switch CommandLine.arguments.dropFirst().first {
case "first-steps": takeFirstSteps()
case "app-delegate":
    run(AppDelegate()) { app in
        let isLaunched = app.application(didFinishLaunchingWithOptions: nil)
        say("launched \(isLaunched)")
    }
case "relauncher": run(Relauncher()) { $0.begin() }
case "stopping-relauncher": run(StoppingRelauncher()) { $0.begin() }
default: say("which program?")
}
