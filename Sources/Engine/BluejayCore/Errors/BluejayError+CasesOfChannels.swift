/// The kinds of L2CAP channels.
extension BluejayError {
    /// The number is none of an L2CAP channel of Bluetooth Low Energy.
    public static func invalidPSM(_ psm: UInt16) -> BluejayError {
        BluejayError(.invalidPSM(psm))
    }

    /// As a pattern: the same with any value.
    public static let invalidPSM = BluejayError(.any(.invalidPSM))

    /// Nobody listens for channels on the number.
    public static let channelRefused = BluejayError(.channelRefused)

    /// Another program, or another listener of this one, listens on the number.
    public static func psmInUse(_ psm: UInt16) -> BluejayError {
        BluejayError(.psmInUse(psm))
    }

    /// As a pattern: the same with any value.
    public static let psmInUse = BluejayError(.any(.psmInUse))

    /// A listener on the number needs a privilege that the program has not.
    public static func psmNotPermitted(_ psm: UInt16) -> BluejayError {
        BluejayError(.psmNotPermitted(psm))
    }

    /// As a pattern: the same with any value.
    public static let psmNotPermitted = BluejayError(.any(.psmNotPermitted))

    /// The channel is not open, or was closed here or by the peer.
    public static let channelClosed = BluejayError(.channelClosed)

    /// Too much waits to be sent already; with the number of bytes that may wait.
    public static func channelFull(limit: Int) -> BluejayError {
        BluejayError(.channelFull(limit: limit))
    }

    /// As a pattern: the same with any value.
    public static let channelFull = BluejayError(.any(.channelFull))

    /// The kernel refused with an error that has no kind of its own; with the number of errno.
    public static func systemError(_ number: Int32) -> BluejayError {
        BluejayError(.systemError(number))
    }

    /// As a pattern: the same with any value.
    public static let systemError = BluejayError(.any(.systemError))
}
