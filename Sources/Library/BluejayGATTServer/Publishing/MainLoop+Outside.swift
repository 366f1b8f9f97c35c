internal import BluejayGLib

extension MainLoop {
    /// Makes a call whose completion comes in a later turn if the call would complete at once.
    ///
    /// One that repeats its call would not come to an end otherwise.
    func outside(
        _ completion: @escaping GATTServer.Completion,
        _ call: (@escaping GATTServer.Completion) -> Void
    ) {
        let extent = CallInProgress()
        call { [self] result in
            guard extent.isInside else { return completion(result) }
            let later = Confined { completion(result) }
            post { later.value() }
        }
        extent.isInside = false
    }
}

/// Whether a call is still being made.
private final class CallInProgress {
    var isInside = true
}
