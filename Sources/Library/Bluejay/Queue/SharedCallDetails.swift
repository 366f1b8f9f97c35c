/// The call and the characteristic of reads or writes.
///
/// Operations with the same details share one object: a million waiting operations do not each hold the
/// identifiers, and their common error is named once.
final class SharedCallDetails {
    let subject: ErrorSubject
    let characteristic: CharacteristicIdentifier

    fileprivate init(_ call: BluejayError.Call, _ characteristic: CharacteristicIdentifier) {
        subject = ErrorSubject(call, characteristic)
        self.characteristic = characteristic
    }
}

/// A cache of the recent calls of one kind, because most programs repeat a few calls.
final class CallDetailsCache {
    private static let capacity = 8

    private let kind: BluejayError.Call
    private var last: SharedCallDetails?
    private var calls: [SharedCallDetails] = []
    /// The index of the entry to replace next.
    private var oldestIndex = 0

    init(_ kind: BluejayError.Call) {
        self.kind = kind
    }

    /// Returns the shared details of calls to a characteristic.
    func call(_ characteristic: CharacteristicIdentifier) -> SharedCallDetails {
        if let last, last.characteristic == characteristic { return last }
        let known = calls.first { $0.characteristic == characteristic }
        let call = known ?? add(characteristic)
        last = call
        return call
    }

    private func add(_ characteristic: CharacteristicIdentifier) -> SharedCallDetails {
        let call = SharedCallDetails(kind, characteristic)
        if calls.count < Self.capacity {
            calls.append(call)
        } else {
            calls[oldestIndex] = call
            oldestIndex = (oldestIndex + 1) % Self.capacity
        }
        return call
    }
}
