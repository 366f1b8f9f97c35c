package import BluejayGLib

/// The places of a user that may have a limited number of links.
///
/// A released link keeps its place until it is down: bluetoothd needs 2 s to end a link, and on some kernels
/// `Disconnect` must wait for the end of service discovery. Confined to the loop of the links.
package final class LinkPlaces {
    package let links: LinkRegistry
    private var machine: LinkPlaceStateMachine
    private var lastPlace = 0
    /// The uses that wait for their places.
    private var starts: [LinkPlaceStateMachine.Place: () -> Void] = [:]
    /// The places of released links that are not down yet.
    private var ending: [(place: LinkPlaceStateMachine.Place, link: Link)] = []
    private var observation: ObservationToken?

    package init(_ links: LinkRegistry, count: Int) {
        self.links = links
        machine = LinkPlaceStateMachine(count: count)
    }

    package var clock: any EventClock { links.client.clock }

    /// Takes a place for a link, and calls `start` when there is one: at once, or on a later iteration.
    ///
    /// - Returns: The place, whose release withdraws the request, or frees the place once the link is down.
    package func take(for link: Link, _ start: @escaping () -> Void) -> LinkPlace {
        settle()
        if let index = ending.firstIndex(where: { $0.link === link }) {
            // The link resumes, and keeps its place.
            let place = ending.remove(at: index).place
            start()
            return LinkPlace(place, link, self)
        }
        lastPlace += 1
        let place = lastPlace
        let granted = machine.request(place)
        if granted.contains(place) { start() } else { starts[place] = start }
        return LinkPlace(place, link, self)
    }

    fileprivate func release(_ place: LinkPlaceStateMachine.Place, of link: Link) {
        guard starts.removeValue(forKey: place) == nil, link.isEnding else { return free(place) }
        ending.append((place, link))
        if observation == nil {
            observation = links.observe { [weak self] in self?.settle() }
        }
    }

    /// Frees the places of links that are down, or that another user needs.
    private func settle() {
        let ended = ending.filter { !$0.link.isEnding }
        ending.removeAll { !$0.link.isEnding }
        if ending.isEmpty { observation = nil }
        for (place, _) in ended { free(place) }
    }

    private func free(_ place: LinkPlaceStateMachine.Place) {
        for granted in machine.free(place) {
            // A link that has just ended must not be re-entered.
            clock.onNextIteration { [weak self] in
                self?.starts.removeValue(forKey: granted)?()
            }
        }
    }
}

/// A place for a link, until its release.
package final class LinkPlace {
    private let place: LinkPlaceStateMachine.Place
    private let link: Link
    private let places: LinkPlaces

    fileprivate init(_ place: LinkPlaceStateMachine.Place, _ link: Link, _ places: LinkPlaces) {
        self.place = place
        self.link = link
        self.places = places
    }

    deinit {
        places.release(place, of: link)
    }
}
