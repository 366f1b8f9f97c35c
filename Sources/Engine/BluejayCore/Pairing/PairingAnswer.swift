/// The answer to one ``PairingRequest``, to be given once.
///
/// It may be kept, and answered later and on any thread, within 25 s. One that is let go unanswered
/// refuses. Only the first answer counts, and one that does not fit the request refuses. Of a request
/// that shows something it is no answer that is wanted: there ``refuse()`` ends the pairing, and letting
/// go of it does nothing.
public final class PairingAnswer: Swift.Sendable {
    private let deliver: @Sendable (PairingDecision?) -> Void
    private let whenEnded: any CallbackHolder

    /// Makes one.
    ///
    /// - Parameters:
    ///   - whenEnded: Holds what is called at the end.
    ///   - deliver: Takes answers on any thread, and nil when it is let go.
    package init(
        whenEnded: any CallbackHolder,
        deliver: @escaping @Sendable (PairingDecision?) -> Void
    ) {
        self.whenEnded = whenEnded
        self.deliver = deliver
    }

    deinit {
        deliver(nil)
    }

    /// Says yes to an authorization, a confirmation or a service.
    public func accept() { deliver(.accept) }

    /// Gives the number that the device shows.
    public func accept(passkey: UInt32) { deliver(.passkey(passkey)) }

    /// Gives the code that the device wants.
    public func accept(pinCode: String) { deliver(.pinCode(pinCode)) }

    /// Says no; the pairing fails.
    public func refuse() { deliver(.refuse) }

    /// Gives a decision that was made elsewhere.
    public func give(_ decision: PairingDecision) { deliver(decision) }

    /// Called once, on the loop, when nobody waits for the answer any more and none was given.
    ///
    /// The time is over, the device has left, or bluetoothd has gone. Of a request that shows something it
    /// is called when that is to be shown no longer, whatever became of the pairing.
    public var onEnd: (() -> Void)? {
        get { whenEnded.callback }
        set { whenEnded.callback = newValue }
    }

    /// Tells that it is over; on the loop.
    package func end() {
        let told = whenEnded.callback
        whenEnded.callback = nil
        told?()
    }
}

/// Holds a callback that any thread sets and reads, and that the loop calls.
package protocol CallbackHolder: AnyObject, Swift.Sendable {
    /// The callback that was set last.
    var callback: (() -> Void)? { get set }
}

/// Who is asked: what it is about, whose device it is, and the answer; called on the loop.
public typealias PairingHandler = (PairingRequest, PeripheralIdentifier, PairingAnswer) -> Void
