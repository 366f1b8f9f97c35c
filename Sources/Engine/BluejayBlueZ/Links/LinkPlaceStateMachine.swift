internal import DequeModule

/// Decides which of several links may be made while others are still ending.
///
/// A pure value. Invariants: at most `count` places are taken, and places are granted in the order of their
/// requests.
struct LinkPlaceStateMachine: Equatable {
    typealias Place = Int

    let count: Int
    private var taken: Set<Place> = []
    private var waiting: Deque<Place> = []

    init(count: Int) {
        self.count = max(count, 0)
    }

    /// Requests a place; returns the places that are granted by this event.
    mutating func request(_ place: Place) -> [Place] {
        guard !taken.contains(place), !waiting.contains(place) else { return [] }
        waiting.append(place)
        return grant()
    }

    /// Frees a place, or withdraws its request; returns the places that are granted by this event.
    mutating func free(_ place: Place) -> [Place] {
        waiting.removeAll { $0 == place }
        taken.remove(place)
        return grant()
    }

    private mutating func grant() -> [Place] {
        var granted: [Place] = []
        while taken.count < count, !waiting.isEmpty {
            let place = waiting.removeFirst()
            taken.insert(place)
            granted.append(place)
        }
        return granted
    }
}
