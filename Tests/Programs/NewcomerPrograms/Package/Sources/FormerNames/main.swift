// The names that the changelog calls former: a program with them compiles, with warnings, and they do the same.
import Bluejay
import BluejayGATTServer
import BluejaySimulator
import BluejayTesting

let backOff = BackOff(first: .seconds(1), longest: .seconds(60))
precondition(backOff.first == .seconds(1) && backOff.longest == .seconds(60))
precondition(backOff.pause(after: 2) == backOff.delay(afterFailures: 2))
precondition(BackOff(longest: .seconds(3)).maximumDelay == .seconds(3))

var options = ReconnectOptions(limit: 3)
options.firstDelay = .seconds(2)
options.longestDelay = .seconds(9)
precondition(options.maximumAttempts == 3)
precondition(options.initialDelay == .seconds(2) && options.maximumDelay == .seconds(9))
precondition(ReconnectOptions(firstDelay: .seconds(4)).initialDelay == .seconds(4))
precondition(ReconnectOptions(longestDelay: .seconds(5)).maximumDelay == .seconds(5))

precondition(BluejayError.pairingRefused == .pairingRejected)
precondition(!BluejayError.pairingRefused.isWorthRetrying)
precondition(BluejayError.notConnected.isWorthRetrying == BluejayError.notConnected.isRetryable)
precondition(MainLoop.endingSignals == MainLoop.terminationSignals)

let path: ListenPath = .socket
precondition(path == ListenTransport.socket)
let mode: Subscriptions = .together
precondition(mode == .shared)
precondition(NotificationAddressing.all == .broadcast && NotificationAddressing.each == .unicast)

var simulator = SimulatorOptions()
simulator.kind = BlueZKind.v5_86
precondition(simulator.version == .v5_86)
let time: WorldTime = .virtual
let loop: WorldLoop = .ownThread
let behaviours: [ScriptedBehaviour] = [
    .silent, .leaves, .late([1], afterSeconds: 1), .plays([], holding: nil),
]
let faults: [Fault] = [.daemonStandsStill(for: .seconds(1)), .daemonGoesOn]
let steps: [CentralStep] = [.leave, .vanish]

// Compiled only: these objects come from Bluetooth.
func pair(_ answer: PairingAnswer) {
    answer.give(.refuse)
    answer.refuse()
}
func serve(_ read: ReadRequest, _ write: WriteRequest, _ server: GATTServer) {
    read.refuse(ATTError(code: 0x80))
    if !write.isQuestion { write.refuse(ATTError(code: 0x80)) }
    print(server.refusedRequestCount)
}
func simulate(_ device: SimulatedDevice) {
    device.goAway()
    device.comeBack()
    device.drop()
    device.fallSilent()
}
func run(_ loop: MainLoop) throws {
    loop.run(endingAt: [])
    let one = try loop.run(endingAt: []) { 1 }
    print(one)
}
print("the former names work")
