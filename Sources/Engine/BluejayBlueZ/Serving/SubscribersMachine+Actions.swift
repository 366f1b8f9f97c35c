extension SubscribersMachine {
    /// Whom a value on a socket reaches.
    package enum Reach: Equatable, Swift.Sendable {
        case everybody, one
    }

    /// Why a value is not taken.
    package enum Refusal: Error, Equatable, Swift.Sendable {
        case notSubscribed
        /// Others would get it too.
        case notAddressable
        /// As many values wait as may.
        case full
    }

    /// What became of a value.
    package enum Outcome: Equatable, Swift.Sendable {
        /// At least one socket has it.
        case sent
        case refused(Refusal)
    }

    /// What became of a try to write.
    package enum Writing: Equatable, Swift.Sendable {
        case sent, full, closed
    }

    /// What is to be done.
    package enum Action: Equatable, Swift.Sendable {
        /// Write `first(on:)` as long as there is one, and say what became of it.
        case write(Int)
        /// Say when the socket takes more.
        case watch(Int)
        case close(Int)
        /// Send a value to all by a signal.
        case signal(Int)
        case finish(Int, Outcome)
        /// `subscribers` or `isSubscribed` has changed.
        case tell
    }

    /// A central with a socket of its own.
    package struct Subscriber: Hashable, Swift.Sendable {
        package var central: Central
        package var mtu: Int?
        /// How many values wait for its socket.
        package var waiting: Int
        /// How many values for everybody it has missed, because as many waited as may.
        package var lost: Int
        /// Whether its socket was closed by mistake, so that it gets what all get, and nothing alone.
        package var sharesValues: Bool

        package init(
            central: Central,
            mtu: Int?,
            waiting: Int = 0,
            lost: Int = 0,
            sharesValues: Bool = false
        ) {
            self.central = central
            self.mtu = mtu
            self.waiting = waiting
            self.lost = lost
            self.sharesValues = sharesValues
        }
    }
}
