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

    var count: Int { unanswered.values.reduce(0) { $0 + $1.count } }

    /// Whether the program may receive one more request.
    func takes(_ call: AttributeRequest) -> Bool {
        let isTaken = unanswered[call.device]?.count ?? 0 < Self.limit
        if !isTaken { refused() }
        return isTaken
    }

    func refused() {
        refusedCount += 1
        onRefused?(refusedCount)
    }

    func begin(_ call: AttributeRequest, _ request: any OpenRequest) {
        unanswered[call.device, default: []].append(request)
    }

    func end(_ call: AttributeRequest, _ request: any OpenRequest) {
        guard let index = unanswered[call.device]?.firstIndex(where: { $0 === request })
        else { return }
        unanswered[call.device]?.remove(at: index)
        if unanswered[call.device]?.isEmpty ?? true { unanswered[call.device] = nil }
    }

    /// A central may negotiate a larger MTU after it has subscribed.
    func note(_ call: AttributeRequest) {
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
        for request in unanswered[device] ?? [] { request.centralLeft() }
    }
}
