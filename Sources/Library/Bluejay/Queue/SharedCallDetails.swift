/// What a read or a write does to which characteristic.
///
/// Operations that do the same share it: a million that wait do not each hold the identifiers, and what
/// they fail with together is named once.
final class SharedCallDetails {
    let subject: ErrorSubject
    let characteristic: CharacteristicIdentifier

    fileprivate init(_ call: BluejayError.Call, _ characteristic: CharacteristicIdentifier) {
        subject = ErrorSubject(call, characteristic)
        self.characteristic = characteristic
    }
}

/// The calls of one kind that were made last: most programs make few different ones, over and over.
final class CallDetailsCache {
    private static let limit = 8

    private let kind: BluejayError.Call
    private var last: SharedCallDetails?
    private var calls: [SharedCallDetails] = []
    /// Which is replaced next.
    private var oldest = 0

    init(_ kind: BluejayError.Call) {
        self.kind = kind
    }

    /// What every operation has that does the same.
    func call(_ characteristic: CharacteristicIdentifier) -> SharedCallDetails {
        if let last, last.characteristic == characteristic { return last }
        let known = calls.first { $0.characteristic == characteristic }
        let call = known ?? add(characteristic)
        last = call
        return call
    }

    private func add(_ characteristic: CharacteristicIdentifier) -> SharedCallDetails {
        let call = SharedCallDetails(kind, characteristic)
        if calls.count < Self.limit {
            calls.append(call)
        } else {
            calls[oldest] = call
            oldest = (oldest + 1) % Self.limit
        }
        return call
    }
}
