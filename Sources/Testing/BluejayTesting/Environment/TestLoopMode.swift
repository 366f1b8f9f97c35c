/// The loop of a world.
public enum TestLoopMode: Hashable, Swift.Sendable {
    /// `MainLoop.main`, which the `RunLoop` of the main thread drives while the world exists: in
    /// `wait(for:)`, and while an `async` test method runs. Only one such world can exist at a time.
    case main
    /// A loop on its own thread.
    case ownThread
}
