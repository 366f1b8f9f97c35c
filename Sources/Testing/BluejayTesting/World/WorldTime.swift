/// Which time a world has.
public enum WorldTime: Hashable, Swift.Sendable {
    /// One that stands still while anything is under way, and then jumps to the next timer: of the
    /// simulator, of the library, or of ``TestClock``.
    ///
    /// A time-out of 30 seconds takes as long as the calls that it is made of, less than a millisecond.
    /// `SimulatorOptions.timeScale` has no effect.
    case virtual
    /// The machine's; the simulator's waits are scaled by `SimulatorOptions.timeScale`, the limits of the
    /// library are not.
    case real
}

/// Which loop a world has.
public enum WorldLoop: Hashable, Swift.Sendable {
    /// `MainLoop.main`, which the `RunLoop` of the main thread drives as long as there is the world: in
    /// `wait(for:)`, and while an `async` test method runs. One such world at a time.
    case main
    /// One on a thread of its own.
    case ownThread
}
