internal import BluejayGLib

extension MainLoop {
    /// Makes a call whose completion comes in a later turn if the call would complete at once.
    ///
    /// One that repeats its call would not come to an end otherwise.
    func outside(
        _ completion: @escaping GATTServer.Completion,
        _ call: (@escaping GATTServer.Completion) -> Void
    ) {
        let extent = Extent()
        call { [self] result in
            guard extent.isInside else { return completion(result) }
            let later = LoopBound { completion(result) }
            post { later.work() }
        }
        extent.isInside = false
    }
}

/// Whether a call is still being made.
private final class Extent {
    var isInside = true
}

/// Work of the loop for a later turn of it.
// It is made on the loop and done there: no other thread looks into it.
private struct LoopBound: @unchecked Swift.Sendable {
    let work: () -> Void
}
