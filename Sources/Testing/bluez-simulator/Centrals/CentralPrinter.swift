internal import BluejaySimulator
internal import Foundation

/// A central with a script, which prints its steps and received values on standard error.
final class CentralPrinter {
    private let central: SimulatedCentral
    private let steps: [CentralStep]
    private let name: String

    /// Creates the central with a number from 1, which gives the address `C0:FF:EE:00:00:01`.
    init(_ number: Int, _ steps: [CentralStep]) {
        let digits = String(number, radix: 16, uppercase: true)
        let last = digits.count < 2 ? "0" + digits : digits
        central = SimulatedCentral(address: "C0:FF:EE:00:00:\(last)", name: "Central \(number)")
        self.steps = steps
        name = "central \(number)"
    }

    /// Adds the central and plays its script.
    func start(in world: SimulatedBlueZ) {
        world.add(central)
        central.onConnectionChange = { [name] isConnected in
            printLine("\(name): \(isConnected ? "connected" : "disconnected")")
        }
        central.onValue = { [name] uuid, value in
            printLine("\(name): \(uuid) sent \(hexadecimal(value))")
        }
        central.onRead = { [name] uuid, value in
            printLine("\(name): \(uuid) is \(hexadecimal(value))")
        }
        central.onStep = { [name] step, error in
            if let error { printLine("\(name): \(description(step)): \(error)") }
        }
        central.play(steps) { [name] report in
            printLine("\(name): done, \(report.failureCount) failed")
        }
    }
}

private func printLine(_ text: String) {
    FileHandle.standardError.write(Data("\(text)\n".utf8))
}

private func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
}

private func description(_ step: CentralStep) -> String {
    switch step {
    case .connect, .connectTo: "connect"
    case .pair: "pair"
    case .read(let uuid): "read \(uuid)"
    case .write(let uuid, _, .withResponse): "write \(uuid)"
    case .write(let uuid, _, .withoutResponse): "command \(uuid)"
    case .write(let uuid, _, .long): "long \(uuid)"
    case .prepare(let uuid, _, _): "prepare \(uuid)"
    case .execute: "execute"
    case .cancelPrepared: "cancel"
    case .subscribe(let uuid, .notificationsFirst): "subscribe \(uuid)"
    case .subscribe(let uuid, .indications): "indicate \(uuid)"
    case .unsubscribe(let uuid): "unsubscribe \(uuid)"
    case .expect(let uuid, _, _): "expect \(uuid)"
    case .wait: "wait"
    case .disconnect: "leave"
    case .loseLink: "vanish"
    case .repeat, .forever: "repeat"
    }
}
