import BluejayAsync
import Foundation

// Opens a scope, prints one line inside it, and leaves it on the way that its arguments name:
// `ways-out SUBJECT WAY`.

struct Thrown: Error, CustomStringConvertible {
    let description = "thrown by the program"
}

let subject = CommandLine.arguments[1]
let way = CommandLine.arguments[2]
let host = BluetoothHost(mainLoop: .background, adapter: "hci0")

/// Leaves a scope.
func leave() async throws {
    FileHandle.standardOutput.write(Data("inside\n".utf8))
    switch way {
    case "throw": throw Thrown()
    case "wait": try await Task.sleep(for: .seconds(600))
    case "cancel":
        unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
        try await Task.sleep(for: .seconds(600))
    // A closure that does not notice the cancellation.
    case "stay": while true { try? await Task.sleep(for: .milliseconds(100)) }
    default: break
    }
}

/// Opens the scope of the subject.
func open() async throws {
    switch subject {
    case "connection":
        let bluejay = Bluejay(host: host)
        try await bluejay.withConnection(toFirst: .anyService([.heartRate]), within: 20) { _ in
            try await leave()
        }
    case "nested":
        let bluejay = Bluejay(host: host)
        try await bluejay.withConnection(toFirst: .anyService([.heartRate]), within: 20) {
            try await $0.withConnection(toFirst: .anyService([.heartRate])) { _ in
                try await leave()
            }
        }
    // A connection without a scope, in a whole program.
    default:
        let bluejay = Bluejay(host: host)
        await bluejay.start()
        try await bluejay.connect(toFirst: .anyService([.heartRate]), within: 20)
        try await leave()
    }
}

if subject == "program" {
    await BluetoothHost.main(host: host) { _ in try await open() }
} else {
    do {
        try await open()
    } catch {
        print(error)
    }
}
print("outside")
