/// Replacements for the machine's time and bus, for tests.
package struct LoopEnvironment: Swift.Sendable {
    /// The clock of all users of the context; nil is the machine's.
    package var clock: VirtualClock?
    /// The bus of users that specify none; nil is the system bus.
    package var busAddress: String?

    package init(clock: VirtualClock? = nil, busAddress: String? = nil) {
        self.clock = clock
        self.busAddress = busAddress
    }
}

extension MainContext {
    /// Returns the virtual clock of the context, or a new one of the machine's time.
    package func makeClock() -> any EventClock {
        environment.value.clock ?? MainContextClock(on: self)
    }
}
