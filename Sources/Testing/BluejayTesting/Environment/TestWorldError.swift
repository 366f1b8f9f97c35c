public import FoundationEssentials

/// An error of a test world.
public enum TestWorldError: Error, Hashable, CustomStringConvertible, LocalizedError {
    /// The world could not be created, for example because dbus-daemon is missing.
    case notMade(String)
    /// The call has no world: the test lacks the trait `.simulatedBlueZ`.
    case none
    /// `.everyFault` has no world with virtual time: the trait `.simulatedBlueZ` must precede it.
    case noFaults
    /// `.everyFault` cannot judge a test that fails when it runs a second time in one world; the text is the
    /// failure.
    case notRepeatable(String)
    /// The test that owns the world has ended.
    case ended
    /// The call was made off the world's loop; the text names the right call.
    case wrongThread(String)
    /// An expected callback was not called often enough within the timeout.
    case missed(String, came: Int, expected: Int, within: Duration)

    /// The error as a sentence.
    public var description: String {
        switch self {
        case .notMade(let reason): "The simulated BlueZ could not be started: \(reason)"
        case .none: "The test has no simulated BlueZ: add the trait .simulatedBlueZ"
        case .noFaults:
            "The test has no simulated BlueZ with virtual time: put .simulatedBlueZ before .everyFault"
        case .notRepeatable(let reason):
            "The test passes once, but fails when it runs again in the same world, with new devices: "
                + reason
        case .ended: "The simulated BlueZ ended together with its test"
        case .wrongThread(let text): text
        case .missed(let what, let came, let expected, let timeout):
            "\(what): \(came) of \(expected) calls within \(timeout)"
        }
    }

    /// The same sentence.
    public var errorDescription: String? { description }
}
