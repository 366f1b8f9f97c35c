internal import FoundationEssentials

extension Reassembly {
    /// An incomplete message.
    ///
    /// Fragments that arrive in order are joined at once and take 4 bytes besides their data. A fragment
    /// after a gap waits in a dictionary and takes about 64 bytes besides its data.
    struct PartialMessage: Equatable {
        /// The position among all messages in the order of their first fragments.
        let number: Int
        var deadline: Duration
        /// The time at which the message stands in the list of deadlines.
        var listedDeadline: Duration?
        /// The data of the fragments before the first gap.
        private(set) var joined = Data()
        /// The end of each of these fragments in `joined`.
        private var ends: [UInt32] = []
        private var pending: [Int: Data] = [:]
        private var pendingLength = 0
        private var count: Int?
        private var highestIndex = 0

        init(number: Int, deadline: Duration) {
            self.number = number
            self.deadline = deadline
        }

        var isComplete: Bool { ends.count == count }
        var fragmentCount: Int { ends.count + pending.count }
        var hasGap: Bool { !pending.isEmpty }

        /// Returns the most that a fragment adds to the charge.
        static func charge(_ fragment: Fragment, _ limits: Limits) -> Int {
            fragment.data.count + (limits.chargesOverhead ? pendingOverhead : 0)
        }

        private static var pendingOverhead: Int { 64 }
        private static var joinedOverhead: Int { 4 }

        /// Returns the bytes that count towards the bound of the sender.
        func charge(_ limits: Limits) -> Int {
            let overhead = ends.count * Self.joinedOverhead + pending.count * Self.pendingOverhead
            return joined.count + pendingLength + (limits.chargesOverhead ? overhead : 0)
        }

        /// Adds a fragment.
        ///
        /// If the result is a rejection, the message must be discarded.
        mutating func add(_ fragment: Fragment, within limits: Limits) -> Rejection? {
            if let count = fragment.count {
                guard count > 0, self.count ?? count == count else { return .malformed }
                guard count <= limits.messageLength else {
                    return .tooLong(limit: limits.messageLength)
                }
                self.count = count
            }
            highestIndex = max(highestIndex, fragment.index)
            guard fragment.index >= 0, highestIndex < count ?? limits.messageLength else {
                return .malformed
            }
            if let known = data(at: fragment.index) {
                return known == fragment.data ? nil : .malformed
            }
            let length = joined.count + pendingLength + fragment.data.count
            guard length <= limits.messageLength else {
                return .tooLong(limit: limits.messageLength)
            }
            pending[fragment.index] = fragment.data
            pendingLength += fragment.data.count
            joinPending()
            return nil
        }

        private func data(at index: Int) -> Data? {
            guard index < ends.count else { return pending[index] }
            return joined[(index == 0 ? 0 : Int(ends[index - 1]))..<Int(ends[index])]
        }

        private mutating func joinPending() {
            while let next = pending.removeValue(forKey: ends.count) {
                joined.append(next)
                pendingLength -= next.count
                ends.append(UInt32(joined.count))
            }
        }
    }
}
