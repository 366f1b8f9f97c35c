/// An error in a file of faults, with its position.
public struct FaultScheduleError: Error, Equatable, CustomStringConvertible {
    /// The position, the error, and the line.
    public let description: String
}
