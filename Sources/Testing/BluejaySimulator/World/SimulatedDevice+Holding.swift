/// What a central may ask of a characteristic, and a scripted device may leave without an answer.
public enum PeerRequest: CaseIterable, Hashable, Swift.Sendable {
    /// A read of the value.
    case read
    /// A write of the value that is to be answered.
    case write
    /// The beginning or the end of notifications or indications.
    case subscription
}

extension SimulatedDevice {
    /// Leaves requests for a characteristic without an answer until ``release(_:of:refusingWith:)``.
    ///
    /// Whoever asked on the bus waits as long; after 30 simulated seconds bluetoothd gives up, as it
    /// does with ``ScriptedBehaviour/silent``, and the link breaks.
    public func hold(_ request: PeerRequest, of characteristic: String) {
        for script in scripts(characteristic) { script.hold(request) }
    }

    /// How many requests for a characteristic wait for their answers now.
    public func heldCount(_ request: PeerRequest, of characteristic: String) -> Int {
        scripts(characteristic).reduce(0) { $0 + $1.heldCount(request) }
    }

    /// Answers what was held, and from now on at once.
    ///
    /// - Parameters:
    ///   - request: What was held.
    ///   - characteristic: Of which characteristic.
    ///   - code: An error code of the Attribute Protocol for those that waited; nil answers them as
    ///     the script says.
    public func release(
        _ request: PeerRequest,
        of characteristic: String,
        refusingWith code: UInt8? = nil
    ) {
        for script in scripts(characteristic) { script.release(request, refusingWith: code) }
    }
}

/// The requests for one characteristic that wait for their answers.
struct HeldRequests {
    typealias Waiting = (
        request: PeerRequest, client: ATTClient, answer: (ATTResult) -> Void, perform: () -> Void
    )

    private(set) var held: Set<PeerRequest> = []
    private var waiting: [Waiting] = []

    mutating func hold(_ request: PeerRequest) {
        held.insert(request)
    }

    /// Whether the request waits now.
    mutating func add(_ one: Waiting) -> Bool {
        guard held.contains(one.request) else { return false }
        waiting.append(one)
        return true
    }

    func count(_ request: PeerRequest) -> Int {
        waiting.count { $0.request == request }
    }

    /// Gives what waited, in its order.
    mutating func release(_ request: PeerRequest) -> [Waiting] {
        held.remove(request)
        defer { waiting.removeAll { $0.request == request } }
        return waiting.filter { $0.request == request }
    }

    /// The link has ended: nobody waits on it any more.
    mutating func clientLeft(_ client: ATTClient) {
        waiting.removeAll { $0.client === client }
    }
}
