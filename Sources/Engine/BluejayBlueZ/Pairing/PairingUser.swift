/// A user of the pairing agent that joins and leaves it repeatedly.
///
/// Its owner joins while it has both an engine and a handler for requests.
package final class PairingUser {
    private var registration: PairingRegistration?

    package init() {}

    /// Answers the requests in `scope`, or none if it is `nil`.
    ///
    /// The first call registers `handler` with the agent, and its capability. Later calls change the scope only,
    /// until the user leaves.
    package func join(
        _ agent: PairingAgent,
        scope: AgentScope?,
        capability: AgentCapability = .keyboardAndDisplay,
        handler: @escaping PairingAgent.RequestHandler
    ) {
        let registration = self.registration ?? agent.addHandler(capability, handler)
        self.registration = registration
        registration.scope = scope
    }

    /// Ends the registration; without one, this method does nothing.
    package func leave() { registration = nil }
}
