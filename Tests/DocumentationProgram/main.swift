import Foundation

// What `DocumentationTests` runs where a block needs a program of its own: the main loop, the system
// bus, or a process that can be killed and started again.

switch CommandLine.arguments.dropFirst().first {
case "first-steps": takeFirstSteps()
default: say("which program?")
}
