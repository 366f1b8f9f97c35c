/// What a context has instead of the machine's time and the machine's bus, for tests.
package struct LoopEnvironment: Swift.Sendable {
    /// The time of everything on the context; nil is the machine's.
    package var clock: VirtualClock?
    /// The bus of those on the context who name none; nil is the system bus.
    package var busAddress: String?

    package init(clock: VirtualClock? = nil, busAddress: String? = nil) {
        self.clock = clock
        self.busAddress = busAddress
    }
}

extension MainContext {
    /// A clock for one of those on the context: its virtual one, or one of the machine's time.
    package func makeClock() -> any EventClock {
        surroundings.value.clock ?? MainContextClock(on: self)
    }
}
