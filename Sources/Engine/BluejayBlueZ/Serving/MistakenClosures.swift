/// Tells sockets that bluetoothd closed by mistake from those whose subscription has ended.
///
/// When a subscribed central without a bond leaves, bluetoothd 5.70 and later closes the first notify socket
/// of the characteristic, whosever it is (BlueZ issue 1452). The subscription of its owner goes on without a
/// socket. The end of the socket and the end of the link are seen in either order. Instants are arguments.
struct MistakenClosures<Central: Hashable & Swift.Sendable>: Equatable {
    /// The longest time between the two.
    ///
    /// bluetoothd does both in one turn of its loop, but on a busy machine the bus may deliver the end of
    /// the link seconds after the end of the socket.
    static var window: Duration { .seconds(5) }

    private struct Closure: Equatable {
        let central: Central
        let time: Duration
        /// Whether its socket was the first.
        let wasFirst: Bool
    }

    private var closures: [Closure] = []
    /// Whose socket was the first when another one left, and until when that explains its end.
    private var endangered: [Central: Duration] = [:]

    /// A socket was closed while the link of its central is up.
    ///
    /// - Returns: Whether that was a mistake, as far as is known by now.
    mutating func closed(_ central: Central, wasFirst: Bool, now: Duration) -> Bool {
        if let end = endangered.removeValue(forKey: central), now <= end { return true }
        closures.removeAll { $0.central == central }
        closures.append(Closure(central: central, time: now, wasFirst: wasFirst))
        return false
    }

    /// Centrals have left.
    ///
    /// - Parameters:
    ///   - left: Subscribed or not.
    ///   - subscribers: All who are subscribed, those who have left included, in the order of their
    ///     subscriptions.
    ///   - open: Those of them who have a socket.
    ///   - now: The present instant.
    /// - Returns: Whose sockets were closed by mistake before.
    mutating func left(
        _ left: Set<Central>,
        subscribers: [Central],
        open: [Central],
        now: Duration
    ) -> [Central] {
        closures.removeAll { now - $0.time > Self.window }
        let own = closures.filter { left.contains($0.central) }
        closures.removeAll { left.contains($0.central) }
        var open = open
        var mistaken: [Central] = []
        let leavers = subscribers.filter(left.contains)
        let closedLeavers = own.map(\.central).filter { !leavers.contains($0) }
        for leaver in leavers + closedLeavers {
            defer { open.removeAll { $0 == leaver } }
            if own.contains(where: { $0.central == leaver && $0.wasFirst }) { continue }
            if let index = closures.firstIndex(where: \.wasFirst) {
                mistaken.append(closures.remove(at: index).central)
            } else if let first = open.first, first != leaver {
                endangered[first] = now + Self.window
                open.removeFirst()
            }
        }
        return mistaken
    }
}
