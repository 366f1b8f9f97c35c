/// Decides the steps from no registration to an advertisement, and back in reverse order.
///
/// The machine approaches the requested state one step at a time; each step waits for the reply to the
/// previous one.
struct HostSessionStateMachine {
    enum Action: Equatable {
        case addService
        case removeService
        /// Ask the game for its name, once in a session.
        case requestName(session: Int)
        case startAdvertising(name: String)
        case stopAdvertising
    }

    /// The state that the user sees.
    enum Status: Equatable {
        case idle, waiting, adding
        case advertising(name: String)
        case failed(String)
    }

    /// The registrations at bluetoothd.
    private enum RegistrationState: Equatable {
        /// Next: `adding`.
        case nothing
        /// Next: `added`, `nothing`.
        case adding
        /// Next: `starting`, `removing`.
        case added
        /// Next: `advertising`, `added`.
        case starting
        /// Next: `stopping`, `added`.
        case advertising
        /// Next: `added`.
        case stopping
        /// Next: `nothing`.
        case removing
    }

    private struct Session: Equatable {
        let id: Int
        var isNameRequested = false
        var name: String?
        var failure: String?
    }

    private var session: Session?
    /// The session for which the service is registered.
    private var servedSession: Int?
    private var registrationState = RegistrationState.nothing
    private var isOn = false

    var status: Status {
        guard let session else { return .idle }
        guard isOn else { return .waiting }
        if let failure = session.failure { return .failed(failure) }
        if registrationState == .advertising, servedSession == session.id, let name = session.name {
            return .advertising(name: name)
        }
        return .adding
    }

    /// Whether nothing is registered at bluetoothd or pending.
    var isIdle: Bool { session == nil && registrationState == .nothing }

    /// Whether players can be present.
    var isOpen: Bool {
        session != nil && servedSession == session?.id && isOn && registrationState != .removing
    }

    // MARK: Requests

    mutating func start(_ number: Int) -> [Action] {
        session = Session(id: number)
        return step()
    }

    mutating func stop() -> [Action] {
        session = nil
        return step()
    }

    mutating func named(_ name: String, session number: Int) -> [Action] {
        guard session?.id == number else { return [] }
        session?.name = name
        return step()
    }

    // MARK: Events

    mutating func bluetoothChanged(isOn: Bool) -> [Action] {
        guard isOn != self.isOn else { return [] }
        self.isOn = isOn
        // bluetoothd may accept now what it rejected before.
        session?.failure = nil
        return step()
    }

    /// Handles the reply to `addService`; `nil` is success.
    mutating func added(_ failure: String?) -> [Action] {
        guard registrationState == .adding else { return [] }
        registrationState = failure == nil ? .added : .nothing
        fail(failure)
        return step()
    }

    /// Handles the reply to `startAdvertising`; `nil` is success.
    mutating func started(_ failure: String?) -> [Action] {
        guard registrationState == .starting else { return [] }
        registrationState = failure == nil ? .advertising : .added
        fail(failure)
        return step()
    }

    mutating func advertisementEnded(_ failure: String) -> [Action] {
        guard registrationState == .advertising else { return [] }
        registrationState = .added
        fail(failure)
        return step()
    }

    /// Handles a service that bluetoothd does not accept again.
    mutating func serviceEnded(_ failure: String) -> [Action] {
        fail(failure)
        return step()
    }

    mutating func stopped() -> [Action] {
        guard registrationState == .stopping else { return [] }
        registrationState = .added
        return step()
    }

    mutating func removed() -> [Action] {
        guard registrationState == .removing else { return [] }
        registrationState = .nothing
        return step()
    }

    private mutating func fail(_ failure: String?) {
        guard let failure, isOn, servedSession == session?.id else { return }
        session?.failure = failure
    }

    // MARK: The next step

    private mutating func step() -> [Action] {
        let isWanted =
            session != nil && isOn && session?.failure == nil
            && (registrationState == .nothing || servedSession == session?.id)
        switch registrationState {
        case .adding, .starting, .stopping, .removing: return []
        case .nothing:
            guard isWanted, let session else { return [] }
            servedSession = session.id
            registrationState = .adding
            return [.addService]
        case .added:
            guard isWanted, let session else {
                registrationState = .removing
                return [.removeService]
            }
            if let name = session.name {
                registrationState = .starting
                return [.startAdvertising(name: name)]
            }
            guard !session.isNameRequested else { return [] }
            self.session?.isNameRequested = true
            return [.requestName(session: session.id)]
        case .advertising:
            guard !isWanted else { return [] }
            registrationState = .stopping
            return [.stopAdvertising]
        }
    }
}
