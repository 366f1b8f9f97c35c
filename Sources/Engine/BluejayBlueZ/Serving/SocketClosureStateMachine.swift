/// Decides whether a closed notify socket means that its central has unsubscribed.
///
/// When a subscribed central without a bond disconnects, bluetoothd 5.70 and later closes the first
/// notify socket of the characteristic, which may belong to another central (BlueZ issue 1452). That
/// central remains subscribed without a socket. The ends of the socket and of the link arrive in either
/// order. The caller passes the time.
struct SocketClosureStateMachine<Central: Hashable & Swift.Sendable>: Equatable {
    enum Verdict: Equatable {
        case unsubscribed
        /// The central is still subscribed.
        case mistake
        /// `expire` or `centralsDisconnected` decides later.
        case undecided
    }

    /// The longest time between the end of the socket and the end of the link.
    ///
    /// bluetoothd ends both in one iteration of its loop. On a busy computer, however, the bus may deliver
    /// the end of the link seconds later.
    static var window: Duration { .seconds(5) }

    private struct Closure: Equatable {
        let central: Central
        let time: Duration
        /// Whether the socket was the first one.
        let wasFirst: Bool
    }

    /// In the order of time.
    private var closures: [Closure] = []
    /// Centrals whose socket was first when another central disconnected, with the time until which that
    /// explains a closure.
    private var endangered: [Central: Duration] = [:]

    /// The time of the next call of `expire`.
    var deadline: Duration? { closures.first.map { $0.time + Self.window } }

    /// A socket closed while its central is connected.
    ///
    /// - Parameters:
    ///   - central: The central of the socket.
    ///   - subscribers: All subscribers including this one, with or without a socket.
    ///   - open: The subscribers that had a socket, in the order of subscription.
    ///   - now: The current time.
    /// - Returns: The meaning, as far as it is known.
    mutating func closed(
        _ central: Central,
        subscribers: [Central],
        open: [Central],
        now: Duration
    ) -> Verdict {
        if let end = endangered.removeValue(forKey: central), now <= end { return .mistake }
        closures.removeAll { $0.central == central }
        let wasFirst = open.first == central
        // Without another subscriber, no departure can have closed the socket.
        let isAlone = subscribers.allSatisfy { $0 == central } && closures.isEmpty
        closures.append(Closure(central: central, time: now, wasFirst: wasFirst))
        return wasFirst && !isAlone ? .undecided : .unsubscribed
    }

    /// Returns the centrals whose sockets closed too long ago for a mistake.
    mutating func expire(now: Duration) -> [Central] {
        let expired = closures.filter { now - $0.time >= Self.window }
        closures.removeFirst(expired.count)
        return expired.map(\.central)
    }

    /// Centrals disconnected.
    ///
    /// - Parameters:
    ///   - disconnected: The disconnected centrals, subscribed or not.
    ///   - subscribers: All subscribers including the disconnected ones, in the order of subscription.
    ///   - open: The subscribers that have a socket.
    ///   - now: The current time.
    /// - Returns: The centrals whose sockets were closed by mistake.
    mutating func centralsDisconnected(
        _ disconnected: Set<Central>,
        subscribers: [Central],
        open: [Central],
        now: Duration
    ) -> [Central] {
        let own = closures.filter { disconnected.contains($0.central) }
        closures.removeAll { disconnected.contains($0.central) }
        var open = open
        var mistaken: [Central] = []
        let subscribed = subscribers.filter(disconnected.contains)
        let unsubscribed = own.map(\.central).filter { !subscribed.contains($0) }
        for central in subscribed + unsubscribed {
            defer { open.removeAll { $0 == central } }
            if own.contains(where: { $0.central == central && $0.wasFirst }) { continue }
            if let index = closures.firstIndex(where: \.wasFirst) {
                mistaken.append(closures.remove(at: index).central)
            } else if let first = open.first, first != central {
                endangered[first] = now + Self.window
                open.removeFirst()
            }
        }
        return mistaken
    }
}
