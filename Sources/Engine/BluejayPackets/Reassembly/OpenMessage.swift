internal import FoundationEssentials

extension Reassembly {
    /// An incomplete message.
    ///
    /// Pieces that arrive in order are joined at once and take 4 bytes besides their data. A piece after a
    /// gap waits in a dictionary and takes about 64 bytes besides its data.
    struct OpenMessage: Equatable {
        /// The position among all messages in the order of their first pieces.
        let number: Int
        let deadline: Duration
        /// The data of the pieces before the first gap.
        private(set) var joined = Data()
        /// The end of each of these pieces in `joined`.
        private var ends: [UInt32] = []
        private var waiting: [Int: Data] = [:]
        private var waitingLength = 0
        private var count: Int?
        private var highestIndex = 0

        init(number: Int, deadline: Duration) {
            self.number = number
            self.deadline = deadline
        }

        var isComplete: Bool { ends.count == count }

        /// Returns the most that a piece adds to the charge.
        static func charge(_ piece: Piece, _ limits: Limits) -> Int {
            piece.data.count + (limits.chargesOverhead ? waitingOverhead : 0)
        }

        private static var waitingOverhead: Int { 64 }
        private static var joinedOverhead: Int { 4 }

        /// Returns the bytes that count towards the bound of the sender.
        func charge(_ limits: Limits) -> Int {
            let overhead = ends.count * Self.joinedOverhead + waiting.count * Self.waitingOverhead
            return joined.count + waitingLength + (limits.chargesOverhead ? overhead : 0)
        }

        /// Adds a piece.
        ///
        /// If the result is a refusal, the message must be discarded.
        mutating func add(_ piece: Piece, within limits: Limits) -> Refusal? {
            if let count = piece.count {
                guard count > 0, self.count ?? count == count else { return .malformed }
                guard count <= limits.messageLength else {
                    return .tooLong(limit: limits.messageLength)
                }
                self.count = count
            }
            highestIndex = max(highestIndex, piece.index)
            guard piece.index >= 0, highestIndex < count ?? limits.messageLength else {
                return .malformed
            }
            if let known = data(at: piece.index) { return known == piece.data ? nil : .malformed }
            let length = joined.count + waitingLength + piece.data.count
            guard length <= limits.messageLength else {
                return .tooLong(limit: limits.messageLength)
            }
            waiting[piece.index] = piece.data
            waitingLength += piece.data.count
            joinWaiting()
            return nil
        }

        private func data(at index: Int) -> Data? {
            guard index < ends.count else { return waiting[index] }
            return joined[(index == 0 ? 0 : Int(ends[index - 1]))..<Int(ends[index])]
        }

        private mutating func joinWaiting() {
            while let next = waiting.removeValue(forKey: ends.count) {
                joined.append(next)
                waitingLength -= next.count
                ends.append(UInt32(joined.count))
            }
        }
    }
}
