/// The call and the characteristic of reads or writes.
///
/// Consecutive operations with the same details share one object: a million waiting operations do not each
/// hold the identifiers, and their common error is named once.
final class SharedCallDetails {
    let subject: ErrorSubject
    let characteristic: CharacteristicIdentifier

    init(_ call: BluejayError.Call, _ characteristic: CharacteristicIdentifier) {
        subject = ErrorSubject(call, characteristic)
        self.characteristic = characteristic
    }

    func matches(_ call: BluejayError.Call, _ characteristic: CharacteristicIdentifier) -> Bool {
        subject.call == call && self.characteristic == characteristic
    }
}
