/// A step in the script of a ``SimulatedCentral``.
///
/// Characteristics are named by their UUIDs of 4, 8 or 36 characters: the first one with the UUID, or the
/// first one in a service, as `180F/2A19`. A failed step is recorded, and the script continues.
public enum CentralStep: Hashable, Swift.Sendable {
    /// Finds an adapter that advertises, connects to it and discovers its services, within 30 s.
    case connect
    /// Like ``connect``, with a given adapter (1 is `hci1`; `nil` is any) and limit.
    case connectTo(adapter: Int?, within: Duration)
    /// Pairs; `userAgreesToPairing` or the agent on the bus answers for the peripheral.
    case pair
    /// Reads a whole value, in as many requests as necessary.
    case read(String)
    /// Writes a value.
    case write(String, [UInt8], CentralWrite = .withResponse)
    /// Prepares a piece of a long write for ``execute``; disconnecting first discards it.
    case prepare(String, [UInt8], offset: Int = 0)
    /// Executes the prepared writes.
    case execute
    /// Cancels the prepared writes.
    case cancelPrepared
    /// Subscribes; received indications are confirmed automatically.
    case subscribe(String, CentralSubscription = .notificationsFirst)
    /// Ends a subscription.
    case unsubscribe(String)
    /// Waits for `count` values that no earlier `expect` has consumed.
    case expect(String, count: Int = 1, within: Duration = .seconds(30))
    /// Waits.
    case wait(Duration)
    /// Disconnects, as when a user closes an app.
    case disconnect
    /// Loses the link, as when moving out of range; the next `connect` can succeed again.
    case loseLink
    /// Repeats the steps `times` times.
    indirect case `repeat`([CentralStep], times: Int)
    /// Repeats the steps until ``SimulatedCentral/stop()``.
    indirect case forever([CentralStep])
}

/// The type of a write by a ``SimulatedCentral``.
public enum CentralWrite: Hashable, Swift.Sendable {
    /// A write request; a value longer than the MTU − 3 is split into pieces, as by a phone.
    case withResponse
    /// A write command, which has no answer: the next step does not wait.
    case withoutResponse
    /// A long write of any length, in pieces of the MTU − 5 that are executed together.
    case long
}

/// The type of a subscription by a ``SimulatedCentral``.
public enum CentralSubscription: Hashable, Swift.Sendable {
    /// Notifications if the characteristic supports them, otherwise indications.
    case notificationsFirst
    case indications
}

/// An error of a step of a ``SimulatedCentral``.
public enum CentralError: Error, Hashable, Swift.Sendable {
    /// No connectable adapter advertised within the limit.
    case nobodyAdvertises
    /// The central is not connected.
    case notConnected
    /// The link ended during the step.
    case lost
    /// The peripheral did not answer within 30 s; the link ends.
    case noAnswer
    /// The peripheral has no such characteristic.
    case notFound(String)
    /// An error code of the Attribute Protocol (Core Specification, Vol 3, Part F, 3.4.1.1).
    case refused(UInt8)
    /// A command exceeds the MTU − 3.
    case tooLong(length: Int, limit: Int)
    /// The peripheral did not pair.
    case notPaired
    /// Fewer values than expected arrived within the limit.
    case missed(String, came: Int, expected: Int)
    /// The script was stopped, or its world ended.
    case stopped
}

extension CentralError: CustomStringConvertible {
    /// The error as a sentence without a full stop.
    public var description: String {
        switch self {
        case .nobodyAdvertises: "no peripheral is advertising"
        case .notConnected: "not connected"
        case .lost: "the link was lost"
        case .noAnswer: "no response within 30 s"
        case .notFound(let uuid): "characteristic \(uuid) not found"
        case .refused(let code): "refused: ATT 0x\(HexNumber.text(code, digits: 2))"
        case .tooLong(let length, let limit): "\(length) bytes exceed the limit of \(limit)"
        case .notPaired: "the peripheral did not pair"
        case .missed(let uuid, let came, let expected):
            "\(uuid): received \(came) of \(expected) values"
        case .stopped: "stopped"
        }
    }
}

/// A failed step with its error.
public struct CentralFailure: Hashable, Swift.Sendable {
    /// The step that failed.
    public let step: CentralStep
    /// The error of the step.
    public let error: CentralError
}

/// The result of a script.
public struct CentralReport: Swift.Sendable {
    /// The last 10,000 values of its `read` steps, in order.
    public var reads: [[UInt8]] { readHistory.last }
    /// The last 10,000 values of its `expect` steps, in order.
    public var values: [[UInt8]] { valueHistory.last }
    /// The last 10,000 failures, in order.
    public var failures: [CentralFailure] { failureHistory.last }
    /// The number of failed steps.
    public var failureCount: Int { failureHistory.count }

    var readHistory = BoundedHistory<[UInt8]>()
    var valueHistory = BoundedHistory<[UInt8]>()
    var failureHistory = BoundedHistory<CentralFailure>()

    /// Throws the error of the first recorded failure, if any.
    ///
    /// - Throws: ``CentralError``.
    public func check() throws(CentralError) {
        if let first = failures.first { throw first.error }
    }
}
