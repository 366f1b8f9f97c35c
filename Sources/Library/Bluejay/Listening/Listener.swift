internal import FoundationEssentials

/// An event for a listener.
enum ListenEvent {
    /// The set-up succeeded, and values follow; may be delivered inside the call.
    case installed
    /// The set-up has completed in its turn; a value may precede this event.
    case setUpCompleted
    case value(Data)
    /// The set-up failed or another listen took over; no events follow.
    case failure(any Error)
    /// The connection ended; no events follow, unless the listen is kept.
    case ended(any Error)
}

/// The callback of a listen, and the events it receives.
struct Listener {
    /// Whether it receives the end of the connection even if errors are not broadcast.
    var receivesEnd = false
    /// The preferred transport of its values.
    var path = ListenTransport.signals
    let handler: (ListenEvent) -> Void
}
