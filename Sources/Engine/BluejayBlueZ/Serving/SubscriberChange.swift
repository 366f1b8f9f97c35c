/// A change of a subscription to one characteristic.
package enum SubscriberChange<Central> {
    /// The central subscribed, possibly again.
    case subscribed(Central)
    /// The central unsubscribed and is still connected.
    ///
    /// `nil` stands for all centrals: BlueZ before 5.70 reports only the last unsubscription.
    case unsubscribed(Central?)
    /// The link of the subscriber ended.
    case disconnected(Central)
    /// bluetoothd closed the socket of the subscriber by mistake (BlueZ issue 1452): only values for all
    /// reach it until it subscribes again.
    case lostSocket(Central)

    /// The central, or `nil` for all.
    package var central: Central? {
        switch self {
        case .subscribed(let central), .disconnected(let central), .lostSocket(let central): central
        case .unsubscribed(let central): central
        }
    }
}

extension SubscriberChange: Equatable where Central: Equatable {}
extension SubscriberChange: Swift.Sendable where Central: Swift.Sendable {}
