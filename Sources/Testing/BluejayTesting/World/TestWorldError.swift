public import FoundationEssentials

/// Why a world did not do what a test asked of it.
public enum TestWorldError: Error, Hashable, CustomStringConvertible, LocalizedError {
    /// No world could be made, for example without dbus-daemon.
    case notMade(String)
    /// There is no world around the call: the test has no `.simulatedBlueZ` trait.
    case none
    /// The test that it was made for is over.
    case ended
    /// Called where the world's loop is not: what to call instead is in the text.
    case wrongThread(String)
    /// What was waited for did not come often enough within the limit.
    case missed(String, came: Int, expected: Int, within: Duration)

    /// A sentence.
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
