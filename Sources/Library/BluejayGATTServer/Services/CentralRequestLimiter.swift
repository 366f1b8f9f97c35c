internal import BluejayBlueZ

/// A request that the program has not answered.
protocol PendingRequest: AnyObject {
    /// Ends the request if bluetoothd no longer expects its answer.
    func centralDisconnected()
}

/// The unanswered requests of each central, and the MTU of its latest request.
final class CentralRequestLimiter {
    /// The maximum number of unanswered requests of a central; further ones are refused.
    static let maximumRequestCount = 64

    /// Receives the total number of refused requests.
    var onRejection: ((Int) -> Void)?
    private var unanswered: [BlueZPath?: [any PendingRequest]] = [:]
    private var mtus: [BlueZPath: Int] = [:]
    /// The last recorded values: the next request usually repeats them.
    private var noted: (device: BlueZPath, mtu: Int)?
    private var rejectedCount = 0

    var count: Int { unanswered.values.reduce(0) { $0 + $1.count } }

    /// Whether the program may receive one more request.
    func canAccept(_ call: AttributeRequest) -> Bool {
        let isAccepted = unanswered[call.device]?.count ?? 0 < Self.maximumRequestCount
        if !isAccepted { requestRejected() }
        return isAccepted
    }

    func requestRejected() {
        rejectedCount += 1
        onRejection?(rejectedCount)
    }

    func add(_ call: AttributeRequest, _ request: any PendingRequest) {
        unanswered[call.device, default: []].append(request)
    }

    func remove(_ call: AttributeRequest, _ request: any PendingRequest) {
        guard let index = unanswered[call.device]?.firstIndex(where: { $0 === request })
        else { return }
        unanswered[call.device]?.remove(at: index)
        if unanswered[call.device]?.isEmpty ?? true { unanswered[call.device] = nil }
    }

    /// A central may negotiate a larger MTU after it has subscribed.
    func recordMTU(_ call: AttributeRequest) {
        guard let device = call.device, let mtu = call.mtu else { return }
        if let noted, noted.mtu == mtu, noted.device == device { return }
        noted = (device, mtu)
        mtus[device] = mtu
    }

    /// The MTU that one of the central's requests has reported.
    func mtu(of device: BlueZPath) -> Int? { mtus[device] }

    /// Ends the unanswered requests of a central that has disconnected.
    func forget(_ device: BlueZPath) {
        mtus[device] = nil
        noted = nil
        for request in unanswered[device] ?? [] { request.centralDisconnected() }
    }
}
