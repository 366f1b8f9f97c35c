internal import BluejayBlueZ

/// A request that the program has not answered.
protocol OpenRequest: AnyObject {
    /// Ends it if nobody else takes the answer.
    func centralLeft()
}

/// The requests of each central that wait for an answer, and which MTU they came with.
final class CentralRequestLimiter {
    /// The most requests of a central that wait for the program; one more is refused.
    static let limit = 64

    /// Called with how many were refused in all.
    var onRefused: ((Int) -> Void)?
    private var unanswered: [BlueZPath?: [any OpenRequest]] = [:]
    private var mtus: [BlueZPath: Int] = [:]
    /// What was noted last: the next request says the same, nearly always.
    private var noted: (device: BlueZPath, mtu: Int)?
    private var refusedCount = 0

    /// How many wait for the program.
    var count: Int { unanswered.values.reduce(0) { $0 + $1.count } }

    /// Whether the program is to answer one more; false when too many wait already.
    func takes(_ call: AttributeRequest) -> Bool {
        let isTaken = unanswered[call.device]?.count ?? 0 < Self.limit
        if !isTaken { refused() }
        return isTaken
    }

    /// A request was refused because too many wait.
    func refused() {
        refusedCount += 1
        onRefused?(refusedCount)
    }

    /// A request that the program is to answer.
    func begin(_ call: AttributeRequest, _ request: any OpenRequest) {
        unanswered[call.device, default: []].append(request)
    }

    /// It was answered.
    func end(_ call: AttributeRequest, _ request: any OpenRequest) {
        guard let index = unanswered[call.device]?.firstIndex(where: { $0 === request })
        else { return }
        unanswered[call.device]?.remove(at: index)
        if unanswered[call.device]?.isEmpty ?? true { unanswered[call.device] = nil }
    }

    /// A central may agree to a larger MTU after it has subscribed.
    func note(_ call: AttributeRequest) {
        guard let device = call.device, let mtu = call.mtu else { return }
        if let noted, noted.mtu == mtu, noted.device == device { return }
        noted = (device, mtu)
        mtus[device] = mtu
    }

    /// The MTU of a central's link, when one of its requests has said it.
    func mtu(of device: BlueZPath) -> Int? { mtus[device] }

    /// Its link has ended, and with it each request that it waits for.
    func forget(_ device: BlueZPath) {
        mtus[device] = nil
        noted = nil
        for request in unanswered[device] ?? [] { request.centralLeft() }
    }
}
