internal import BluejayBlueZ

/// A request that the program has not answered.
protocol OpenRequest: AnyObject {
    /// Ends the request if bluetoothd no longer expects its answer.
    func centralLeft()
}

/// The unanswered requests of each central, and the MTU of its latest request.
final class CentralRequestLimiter {
    /// The maximum number of unanswered requests of a central; further ones are refused.
    static let limit = 64

    /// Receives the total number of refused requests.
    var onRefused: ((Int) -> Void)?
    private var unanswered: [BlueZPath?: [any OpenRequest]] = [:]
    private var mtus: [BlueZPath: Int] = [:]
    /// The last noted values: the next request usually repeats them.
    private var noted: (device: BlueZPath, mtu: Int)?
    private var refusedCount = 0

    /// The number of unanswered requests.
    var count: Int { unanswered.values.reduce(0) { $0 + $1.count } }

    /// Returns whether the program may receive one more request; false if too many are unanswered.
    func takes(_ call: AttributeRequest) -> Bool {
        let isTaken = unanswered[call.device]?.count ?? 0 < Self.limit
        if !isTaken { refused() }
        return isTaken
    }

    /// Counts a refused request.
    func refused() {
        refusedCount += 1
        onRefused?(refusedCount)
    }

    /// Adds a request that the program must answer.
    func begin(_ call: AttributeRequest, _ request: any OpenRequest) {
        unanswered[call.device, default: []].append(request)
    }

    /// Removes an answered request.
    func end(_ call: AttributeRequest, _ request: any OpenRequest) {
        guard let index = unanswered[call.device]?.firstIndex(where: { $0 === request })
        else { return }
        unanswered[call.device]?.remove(at: index)
        if unanswered[call.device]?.isEmpty ?? true { unanswered[call.device] = nil }
    }

    /// Records the MTU of a request: a central may negotiate a larger one after it has subscribed.
    func note(_ call: AttributeRequest) {
        guard let device = call.device, let mtu = call.mtu else { return }
        if let noted, noted.mtu == mtu, noted.device == device { return }
        noted = (device, mtu)
        mtus[device] = mtu
    }

    /// Returns the MTU of a central's link, if one of its requests has reported it.
    func mtu(of device: BlueZPath) -> Int? { mtus[device] }

    /// Ends the unanswered requests of a central that has disconnected.
    func forget(_ device: BlueZPath) {
        mtus[device] = nil
        noted = nil
        for request in unanswered[device] ?? [] { request.centralLeft() }
    }
}
