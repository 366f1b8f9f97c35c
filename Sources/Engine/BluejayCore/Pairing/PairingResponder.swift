/// A single-use answer to a ``PairingRequest``.
///
/// The answer can be kept and given later, on any thread, within 25 s. Releasing it unanswered refuses
/// the request. Only the first answer counts, and an answer that does not fit the request refuses it.
///
/// A request that displays something needs no answer: ``reject()`` ends the pairing, and releasing the
/// answer has no effect.
public final class PairingResponder: Swift.Sendable {
    private let deliver: @Sendable (PairingDecision?) -> Void
    private let endCallback: any CallbackHolder

    /// Creates an answer; `deliver` receives decisions on any thread, and `nil` on release.
    package init(
        endCallback: any CallbackHolder,
        deliver: @escaping @Sendable (PairingDecision?) -> Void
    ) {
        self.endCallback = endCallback
        self.deliver = deliver
    }

    deinit {
        deliver(nil)
    }

    /// Accepts an authorization, a confirmation or a service.
    public func accept() { deliver(.accept) }

    /// Answers with the number that the device displays.
    public func accept(passkey: UInt32) { deliver(.passkey(passkey)) }

    /// Answers with the code that the device expects.
    public func accept(pinCode: String) { deliver(.pinCode(pinCode)) }

    /// Refuses the request; the pairing fails.
    public func reject() { deliver(.reject) }

    /// Answers with a decision.
    public func respond(with decision: PairingDecision) { deliver(decision) }

    /// Called once, in the isolation of its closure, when the request ends without an answer.
    ///
    /// A request ends when its time is up, the device disconnects or bluetoothd disappears. For a
    /// request that displays something, it is called when the display should end, whether or not the
    /// pairing succeeded.
    public var onEnd: (@isolated(any) () -> Void)? {
        get { endCallback.callback }
        set { endCallback.callback = newValue }
    }

    /// Reports the end of the request; called on the loop.
    package func end() {
        endCallback.call()
    }
}

/// Holds a callback that any thread sets and reads, and that the loop calls.
package protocol CallbackHolder: AnyObject, Swift.Sendable {
    /// The callback that was set last.
    var callback: (@isolated(any) () -> Void)? { get set }

    /// Calls the callback, once; on the loop.
    func call()
}

/// Answers pairing requests: the request, the device and the answer.
///
/// Called on the loop, or by the actor that its closure is isolated to.
public typealias PairingHandler =
    @isolated(any) (
        PairingRequest, PeripheralIdentifier, PairingResponder
    ) -> Void

/// A pairing handler for the loop.
package typealias LoopPairingHandler = (
    PairingRequest, PeripheralIdentifier, PairingResponder
) -> Void
