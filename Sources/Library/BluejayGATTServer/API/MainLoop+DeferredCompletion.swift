internal import BluejayGLib

extension MainLoop {
    /// Makes a call, and defers its completion to the next iteration if the call completes at once.
    ///
    /// Otherwise a completion that repeats its call would recurse without end.
    func deferringCompletion(
        _ completion: @escaping GATTServer.Completion,
        _ call: (@escaping GATTServer.Completion) -> Void
    ) {
        let callInProgress = CallInProgress()
        call { [self] result in
            guard callInProgress.isInside else { return completion(result) }
            let later = UncheckedTransfer { completion(result) }
            post { later.value() }
        }
        callInProgress.isInside = false
    }
}

private final class CallInProgress {
    var isInside = true
}
