/// One thing that a ``SimulatedCentral`` does.
///
/// Characteristics are named by their UUIDs, of 4, 8 or 36 characters: the first one with it, or the first
/// in a service, as `180F/2A19`. A step that fails is noted, and the next one is done.
public enum CentralStep: Hashable, Swift.Sendable {
    /// Finds an adapter that advertises, connects to it and discovers its services, within 30 s.
    case connect
    /// The same with one adapter (1 is `hci1`; nil is any), and a limit of its own.
    case connectTo(adapter: Int?, within: Duration)
    /// Pairs, with whoever answers for the peripheral: `userAgreesToPairing`, or the agent on the bus.
    case pair
    /// Reads a value to its end, in as many requests as it takes.
    case read(String)
    /// Writes a value.
    case write(String, [UInt8], CentralWrite = .withResponse)
    /// Sends a piece of a long write, which ``execute`` writes: leaving before that leaves it unwritten.
    case prepare(String, [UInt8], offset: Int = 0)
    /// Asks for the pieces that were sent to be written.
    case execute
    /// Takes back the pieces that were sent.
    case cancelPrepared
    /// Subscribes; indications are confirmed as they come.
    case subscribe(String, CentralSubscription = .notificationsFirst)
    /// Ends a subscription.
    case unsubscribe(String)
    /// Waits until so many values have come that no earlier `expect` has taken.
    case expect(String, count: Int = 1, within: Duration = .seconds(30))
    /// Does nothing for a time.
    case wait(Duration)
    /// Ends the link, as a user who closes an app.
    case leave
    /// Loses the link, as one that goes out of range; it is there again for the next `connect`.
    case vanish
    /// Does all of them so often.
    indirect case `repeat`([CentralStep], times: Int)
    /// Does all of them over and over, until ``SimulatedCentral/stop()``.
    indirect case forever([CentralStep])
}

/// How a ``SimulatedCentral`` writes.
public enum CentralWrite: Hashable, Swift.Sendable {
    /// With a request; what is longer than the MTU − 3 goes in pieces, as from a phone.
    case withResponse
    /// With a command, which nobody answers: the next step does not wait.
    case withoutResponse
    /// In pieces of the MTU − 5 that are written together, whatever the length.
    case long
}

/// What a ``SimulatedCentral`` asks for.
public enum CentralSubscription: Hashable, Swift.Sendable {
    /// Notifications where the characteristic has them, indications otherwise.
    case notificationsFirst
    /// Indications.
    case indications
}

/// Why a step of a ``SimulatedCentral`` failed.
public enum CentralError: Error, Hashable, Swift.Sendable {
    /// No adapter that could be connected to advertised within the limit.
    case nobodyAdvertises
    /// It is connected to nobody.
    case notConnected
    /// The link ended first.
    case lost
    /// The peripheral did not answer within 30 s; the link ends.
    case noAnswer
    /// The peripheral has no such characteristic.
    case notFound(String)
    /// An error code of the Attribute Protocol (Core Specification, Vol 3, Part F, 3.4.1.1).
    case refused(UInt8)
    /// A command does not fit the MTU − 3.
    case tooLong(length: Int, limit: Int)
    /// The peripheral did not pair.
    case notPaired
    /// Fewer values than expected came within the limit.
    case missed(String, came: Int, expected: Int)
    /// The script was stopped, or its world ended.
    case stopped
}

extension CentralError: CustomStringConvertible {
    /// A sentence without its full stop.
    public var description: String {
        switch self {
        case .nobodyAdvertises: "nobody advertises"
        case .notConnected: "not connected"
        case .lost: "the link is lost"
        case .noAnswer: "no answer within 30 s"
        case .notFound(let uuid): "there is no characteristic \(uuid)"
        case .refused(let code): "refused: ATT 0x\(Hexadecimal.text(code, digits: 2))"
        case .tooLong(let length, let limit): "\(length) bytes, where \(limit) fit"
        case .notPaired: "the peripheral did not pair"
        case .missed(let uuid, let came, let expected):
            "\(uuid): \(came) of \(expected) values came"
        case .stopped: "stopped"
        }
    }
}

/// A step that failed, and why.
public struct CentralFailure: Hashable, Swift.Sendable {
    /// What was to be done.
    public let step: CentralStep
    /// What came of it.
    public let error: CentralError
}

/// What came of a script.
public struct CentralReport: Swift.Sendable {
    /// The values that its `read` steps got, the last 10,000 in order.
    public var reads: [[UInt8]] { readHistory.last }
    /// The values that its `expect` steps took, the last 10,000 in order.
    public var values: [[UInt8]] { valueHistory.last }
    /// The steps that failed, the last 10,000 in order.
    public var failures: [CentralFailure] { failureHistory.last }
    /// How many steps failed.
    public var failureCount: Int { failureHistory.count }

    var readHistory = BoundedHistory<[UInt8]>()
    var valueHistory = BoundedHistory<[UInt8]>()
    var failureHistory = BoundedHistory<CentralFailure>()

    /// Throws what the first step failed with that is kept, if one failed.
    ///
    /// - Throws: ``CentralError``.
    public func check() throws(CentralError) {
        if let first = failures.first { throw first.error }
    }
}
