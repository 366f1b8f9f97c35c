/// The time of a world.
public enum TestClockMode: Hashable, Swift.Sendable {
    /// Virtual time, which stands still while any work is pending, then jumps to the next timer of the
    /// simulator, the library, or ``TestClock``.
    ///
    /// A time-out of 30 seconds takes only as long as its calls, less than a millisecond of real time.
    /// `SimulatorOptions.timeScale` has no effect.
    case virtual
    /// Real time. `SimulatorOptions.timeScale` scales the simulator's delays, but not the time-outs of the
    /// library.
    case real
}
