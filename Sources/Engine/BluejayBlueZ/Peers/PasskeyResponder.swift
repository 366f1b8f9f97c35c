package import BluejayCore
package import BluejayGLib
package import FoundationEssentials

/// Answers pairing requests for devices whose passkeys a provider has.
package struct PasskeyResponder {
    /// Returns the passkey of a device, or `nil` to reject.
    package typealias Provider = @Sendable (UUID) async -> UInt32?

    package enum Outcome: Equatable {
        case accepted
        case rejected
        /// The device shows another number than the provider's.
        case numberMismatch
    }

    private let provider: Provider?
    private let acceptsAuthorization: Bool
    private let tasks: LoopTasks

    /// Creates a responder.
    ///
    /// - Parameters:
    ///   - provider: The provider, or `nil` to reject each request for a passkey.
    ///   - acceptsAuthorization: Whether a device may pair without a passkey.
    ///   - loop: The loop of the requests.
    package init(_ provider: Provider?, acceptsAuthorization: Bool, on loop: MainLoop) {
        self.provider = provider
        self.acceptsAuthorization = acceptsAuthorization
        tasks = LoopTasks(loop)
    }

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - request: The request of bluetoothd.
    ///   - responder: Receives the answer, at once or when the provider has returned.
    ///   - device: The identifier of the device.
    ///   - completion: Called on the loop with the result of a request for a passkey.
    package func respond(
        to request: PairingRequest,
        with responder: PairingResponder,
        for device: UUID,
        completion: @escaping (Outcome) -> Void = { _ in }
    ) {
        switch request {
        case .authorization: acceptsAuthorization ? responder.accept() : responder.reject()
        case .passkey, .confirmation:
            guard let provider else { return responder.reject() }
            let task = tasks.start({ await provider(device) }) { passkey in
                completion(Self.complete(request, responder, passkey))
            }
            responder.onEnd = { task.cancel() }
        // A program shows nothing.
        case .displayPasskey, .displayPinCode, .service, .pinCode: responder.reject()
        }
    }

    private static func complete(
        _ request: PairingRequest,
        _ responder: PairingResponder,
        _ passkey: UInt32?
    ) -> Outcome {
        switch (request, passkey) {
        case (.passkey, let passkey?): responder.accept(passkey: passkey)
        // Both sides show the number.
        case (.confirmation(let shown), let passkey?) where shown == passkey: responder.accept()
        case (.confirmation, .some):
            responder.reject()
            return .numberMismatch
        default:
            responder.reject()
            return .rejected
        }
        return .accepted
    }
}
