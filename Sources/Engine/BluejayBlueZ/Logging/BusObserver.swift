package import BluejayDBus
internal import BluejayGLib

/// The receiver of all messages on the bus connections of this program, for a trace of a whole program.
package enum BusObserver {
    /// Called on the loop of the connection, with each sent and each received message.
    package typealias Handler = @Sendable (BusMessage, _ isSent: Bool) -> Void

    private static let current = LockedValue<Handler?>(nil)

    /// The receiver of the messages on connections that open from now on.
    package static var handler: Handler? {
        get { current.value }
        set { current.value = newValue }
    }
}
