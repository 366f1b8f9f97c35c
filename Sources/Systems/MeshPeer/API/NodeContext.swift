internal import BluejayBlueZ
internal import BluejayGLib

/// The objects that a manager of a node and its object on the loop use.
///
/// Any thread may use it.
struct NodeContext<Published: Swift.Sendable> {
    let host: BluetoothHost
    let repository: RepositoryReference
    /// The state that the loop published last.
    let publicState: LockedValue<Published>
    private let drops = DropCounter()
    private let isClosed = LockedValue(false)

    init(_ host: BluetoothHost, _ repository: RepositoryReference, publishing state: Published) {
        self.host = host
        self.repository = repository
        publicState = LockedValue(state)
    }

    /// The number of events that were dropped because a stream was full.
    var droppedEventCount: Int { drops.count }

    /// Creates the event streams of the object.
    func makeStreams() -> EventStreams<MeshPeerEvent> {
        EventStreams(drops: drops, isClosed: isClosed)
    }

    /// Returns a new stream of the events of the object.
    func events<Object: EventPublisher>(
        of object: LoopConfined<Object>
    ) -> AsyncStream<MeshPeerEvent> where Object.Event == MeshPeerEvent {
        // A loop that has ended would not end the stream.
        guard !isClosed.value else { return AsyncStream { nil } }
        return object.events(limitOfEachKind: 4096, kind: \.kind)
    }
}
