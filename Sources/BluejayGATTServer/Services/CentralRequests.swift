internal import BluejayBlueZ

/// How many requests of each central wait for an answer, and which MTU they came with.
final class CentralRequests {
    /// The most requests of a central that wait for the program; one more is refused.
    static let limit = 64

    /// Called with how many were refused in all.
    var onRefused: ((Int) -> Void)?
    private var unanswered: [BlueZPath?: Int] = [:]
    private var mtus: [BlueZPath: Int] = [:]
    /// What was noted last: the next request says the same, nearly always.
    private var noted: (device: BlueZPath, mtu: Int)?
    private var refusedCount = 0

    /// A request that the program is to answer; false when too many wait already.
    func begin(_ call: AttributeCall) -> Bool {
        let count = unanswered[call.device] ?? 0
        guard count < Self.limit else {
            refusedCount += 1
            onRefused?(refusedCount)
            return false
        }
        unanswered[call.device] = count + 1
        return true
    }

    /// It was answered.
    func end(_ call: AttributeCall) {
        let count = (unanswered[call.device] ?? 1) - 1
        unanswered[call.device] = count == 0 ? nil : count
    }

    /// A central may agree to a larger MTU after it has subscribed.
    func note(_ call: AttributeCall) {
        guard let device = call.device, let mtu = call.mtu else { return }
        if let noted, noted.mtu == mtu, noted.device == device { return }
        noted = (device, mtu)
        mtus[device] = mtu
    }

    /// The MTU of a central's link, when one of its requests has said it.
    func mtu(of device: BlueZPath) -> Int? { mtus[device] }

    /// Its link has ended; what waits for an answer still counts, for the program has it.
    func forget(_ device: BlueZPath) {
        mtus[device] = nil
        noted = nil
    }
}
