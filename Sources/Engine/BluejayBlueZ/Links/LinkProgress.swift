/// How far the attempt to bring a link up is.
package enum LinkProgress: Equatable, Swift.Sendable {
    /// bluetoothd does not know the device: it is looked for.
    case searching
    /// `Connect` is under way, or the pause before the next one; the number counts from 1 on.
    case dialling(attempt: Int)
    /// There is a link, whose services are being resolved; it may break, and be dialled again.
    case up
    /// The services are known: the link can be used.
    case resolved
}
