/// Decides whether a characteristic has subscribers.
///
/// bluetoothd calls `StartNotify` for the first subscriber and `StopNotify` after the last one, over all
/// centrals together. A bonded central keeps its subscription while it is disconnected, and bluetoothd
/// does not report it again after a reconnection. A value therefore reaches a central only if one is both
/// subscribed and connected.
struct NotifyingStateMachine: Equatable {
    private var hasSubscription = false
    private var hasNoCentrals = false

    var isSubscribed: Bool { hasSubscription && !hasNoCentrals }

    /// Records `StartNotify`; returns whether `isSubscribed` changed.
    mutating func started() -> Bool {
        changing {
            $0.hasSubscription = true
            // A subscribing central is connected, even if its `Connected` has not been seen.
            $0.hasNoCentrals = false
        }
    }

    mutating func stopped() -> Bool {
        changing { $0.hasSubscription = false }
    }

    /// Records that the first central connected, or the last one disconnected.
    mutating func centralsChanged(hasCentrals: Bool) -> Bool {
        changing { $0.hasNoCentrals = !hasCentrals }
    }

    /// Records the loss of bluetoothd or the adapter.
    mutating func lost() -> Bool {
        changing {
            $0.hasSubscription = false
            $0.hasNoCentrals = false
        }
    }

    private mutating func changing(_ change: (inout NotifyingStateMachine) -> Void) -> Bool {
        let before = isSubscribed
        change(&self)
        return isSubscribed != before
    }
}
