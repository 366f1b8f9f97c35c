public import FoundationEssentials

/// An error of a test world.
public enum TestWorldError: Error, Hashable, CustomStringConvertible, LocalizedError {
    /// The world could not be created, for example because dbus-daemon is missing.
    case notMade(String)
    /// The call has no world: the test lacks the trait `.simulatedBlueZ`.
    case none
    /// The test that owns the world has ended.
    case ended
    /// The call was made off the world's loop; the text names the right call.
    case wrongThread(String)
    /// An expected callback was not called often enough within the limit.
    case missed(String, came: Int, expected: Int, within: Duration)

    /// The error as a sentence.
    public var description: String {
        switch self {
        case .notMade(let reason): "The simulated BlueZ could not be started: \(reason)"
        case .none: "There is no simulated BlueZ here: give the test the trait .simulatedBlueZ"
        case .ended: "The simulated BlueZ has ended with the test that it was made for"
        case .wrongThread(let text): text
        case .missed(let what, let came, let expected, let limit):
            "\(what): came \(came) of \(expected) times within \(limit)"
        }
    }

    /// The same sentence.
    public var errorDescription: String? { description }
}
