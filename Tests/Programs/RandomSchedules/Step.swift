import Bluejay

/// One action of a schedule, and the pause before it.
struct Step: Swift.Sendable, CustomStringConvertible {
    enum Action: Swift.Sendable {
        /// A call of an instance, which is given by its number.
        case call(Int, Call)
        /// A call of an instance inside its next completion.
        case callInside(Int, Call)
        /// A call of an instance inside every nth log line, a number of times.
        case callInLines(Int, Call, every: Int, times: Int)
        /// A fault at a peripheral or of Bluetooth, or its end.
        case mishap(Mishap)
    }

    var pause: Pause
    var action: Action

    var description: String {
        switch action {
        case .call(let number, let call): "\(pause)\(playerName(number)): \(call)"
        case .callInside(let number, let call):
            "\(pause)\(playerName(number)), in its next completion: \(call)"
        case .callInLines(let number, let call, let every, let times):
            "\(pause)\(playerName(number)), in \(times) lines, one of \(every): \(call)"
        case .mishap(let mishap): "\(pause)world: \(mishap)"
        }
    }
}

enum Pause: Swift.Sendable, CustomStringConvertible {
    /// The step is made in the same turn as the previous one.
    case nothing
    /// The previous steps have had their first turn.
    case iteration
    /// A pause in simulated time.
    case milliseconds(Int)

    var description: String {
        switch self {
        case .nothing: ""
        case .iteration: "(a turn) "
        case .milliseconds(let count): "(\(count) ms) "
        }
    }
}

enum Call: Swift.Sendable {
    case start
    case scan(Scan)
    case concurrentScan(Scan)
    case watch(Scan)
    case stopScanning
    /// Limits are in real milliseconds; `nil` is no limit.
    case connect(peer: Int, limit: Int?)
    case connectToFirst(limit: Int?)
    case disconnect(immediate: Bool)
    case read(Attribute, limit: Int?)
    case write(Attribute, WriteType, limit: Int?)
    case listen(Attribute, MultipleListenOption, isKept: Bool, limit: Int?)
    case endListen(Attribute)
    case task([TaskCall])
    case cancelEverything(disconnects: Bool)
    /// Stops, and optionally starts again, fresh or with the former state.
    case stop(then: Restart)
    case observe
    case stopObserving
    case setReconnectMode(AutoReconnectMode)
    case queryEverything
    case readRSSI
    case adapter(AdapterCall)
    case settings(attempts: Int?, broadcasts: Bool)
    /// Releases the last reference, on the loop or elsewhere.
    case release(elsewhere: Bool)
}

extension Call {
    /// The name without the arguments.
    var name: String {
        let text = "\(self)"
        return String(text.prefix { $0 != "(" })
    }
}

enum Restart: Swift.Sendable {
    case stays, fresh, handedOver
}

struct Scan: Swift.Sendable {
    /// In real milliseconds; `nil` is no limit.
    var duration: Int?
    var allowsDuplicates: Bool
    /// The number of discoveries before the answer.
    var discoveries: Int
    var answer: Answer

    enum Answer: Swift.Sendable { case keepScanning, stop, blacklist, connect }
}

/// A characteristic of every peripheral here, or one that none has.
enum Attribute: String, CaseIterable, Swift.Sendable {
    /// Sends numbers.
    case numbers = "2A37"
    /// Holds 1.
    case location = "2A38"
    case control = "2A39"
    /// Notifies the values written to it.
    case echo = "FFE1"
    case missing = "2A29"

    var identifier: CharacteristicIdentifier {
        let service =
            switch self {
            case .numbers, .location, .control: "180D"
            case .echo: "FFE0"
            case .missing: "180A"
            }
        return CharacteristicIdentifier(
            uuid: rawValue,
            service: ServiceIdentifier(uuid: service)
        )
    }
}

enum TaskCall: Swift.Sendable {
    case read(Attribute)
    case write(Attribute, WriteType)
    case writeAndRead
    /// Ends after this number of values, or at the limit.
    case listen(Attribute, values: Int, limit: Int?)
    case endListen(Attribute)
    case flush
    case writeAndListen(limit: Int)
    case writeAndAssemble(limit: Int)
    case maximumLength
    case cancelEverything(disconnects: Bool)
    case fail
}

/// A fault outside the library, or its end.
enum Mishap: Swift.Sendable {
    case notify(peer: Int, count: Int)
    case dropLink(peer: Int)
    case leaveRange(peer: Int)
    case returnToRange(peer: Int)
    case stopResponding(peer: Int)
    case power(Bool)
    case killDaemon
    case terminateDaemon
    case startDaemon
    case behavior(peer: Int, Attribute, Behavior)
    case removeService(peer: Int)
    case addService(peer: Int)

    enum Behavior: Swift.Sendable { case works, refuses, isSilent, leaves, isLate }
}

/// `A` for the first instance.
func playerName(_ number: Int) -> String {
    String(UnicodeScalar(UInt8(65 + number % 26)))
}
