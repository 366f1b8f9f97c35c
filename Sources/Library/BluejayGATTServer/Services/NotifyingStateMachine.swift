/// Decides whether a characteristic has subscribers.
///
/// bluetoothd calls `StartNotify` for the first subscriber and `StopNotify` after the last one, over
/// all centrals together. A bonded central keeps its subscription while it is away and is not announced
/// again when it returns, so subscribed is not the same as connected: both have to hold.
struct NotifyingStateMachine: Equatable {
    private var hasSubscription = false
    private var isEverybodyGone = false

    /// Whether a value that is sent now reaches anybody.
    var isSubscribed: Bool { hasSubscription && !isEverybodyGone }

    /// `StartNotify` was called; returns whether the answer to `isSubscribed` changed.
    mutating func started() -> Bool {
        changing {
            $0.hasSubscription = true
            // Whoever subscribes is there, also when its `Connected` was not seen.
            $0.isEverybodyGone = false
        }
    }

    /// `StopNotify` was called.
    mutating func stopped() -> Bool {
        changing { $0.hasSubscription = false }
    }

    /// The first central came, or the last one left.
    mutating func centralsChanged(areAny: Bool) -> Bool {
        changing { $0.isEverybodyGone = !areAny }
    }

    /// bluetoothd or the adapter went away.
    mutating func lost() -> Bool {
        changing {
            $0.hasSubscription = false
            $0.isEverybodyGone = false
        }
    }

    private mutating func changing(_ change: (inout NotifyingStateMachine) -> Void) -> Bool {
        let before = isSubscribed
        change(&self)
        return isSubscribed != before
    }
}
