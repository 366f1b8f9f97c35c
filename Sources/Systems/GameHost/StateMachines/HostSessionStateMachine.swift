/// Decides the steps from no registration to an advertisement, and back in reverse order.
///
/// The machine approaches the requested state one step at a time; each step waits for the reply to the
/// previous one.
struct HostSessionStateMachine {
    enum Action: Equatable {
        case addService
        case removeService
        /// Ask the game for its name, once in a session.
        case askName(session: Int)
        case startAdvertising(name: String)
        case stopAdvertising
    }

    /// The state that the user sees.
    enum Standing: Equatable {
        case idle, waiting, adding
        case advertising(name: String)
        case failed(String)
    }

    /// The registrations at bluetoothd.
    private enum Stage: Equatable {
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
        let number: Int
        var isAsked = false
        var name: String?
        var failure: String?
    }

    private var session: Session?
    /// The session for which the service is registered.
    private var served: Int?
    private var stage = Stage.nothing
    private var isOn = false

    var standing: Standing {
        guard let session else { return .idle }
        guard isOn else { return .waiting }
        if let failure = session.failure { return .failed(failure) }
        if stage == .advertising, served == session.number, let name = session.name {
            return .advertising(name: name)
        }
        return .adding
    }

    /// Whether nothing is registered at bluetoothd or pending.
    var isAtRest: Bool { session == nil && stage == .nothing }

    /// Whether players can be present.
    var isOpen: Bool {
        session != nil && served == session?.number && isOn && stage != .removing
    }

    // MARK: Requests

    mutating func start(_ number: Int) -> [Action] {
        session = Session(number: number)
        return step()
    }

    mutating func stop() -> [Action] {
        session = nil
        return step()
    }

    mutating func named(_ name: String, session number: Int) -> [Action] {
        guard session?.number == number else { return [] }
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
        guard stage == .adding else { return [] }
        stage = failure == nil ? .added : .nothing
        fail(failure)
        return step()
    }

    /// Handles the reply to `startAdvertising`; `nil` is success.
    mutating func started(_ failure: String?) -> [Action] {
        guard stage == .starting else { return [] }
        stage = failure == nil ? .advertising : .added
        fail(failure)
        return step()
    }

    mutating func advertisementEnded(_ failure: String) -> [Action] {
        guard stage == .advertising else { return [] }
        stage = .added
        fail(failure)
        return step()
    }

    /// Handles a service that bluetoothd does not accept again.
    mutating func serviceEnded(_ failure: String) -> [Action] {
        fail(failure)
        return step()
    }

    mutating func stopped() -> [Action] {
        guard stage == .stopping else { return [] }
        stage = .added
        return step()
    }

    mutating func removed() -> [Action] {
        guard stage == .removing else { return [] }
        stage = .nothing
        return step()
    }

    private mutating func fail(_ failure: String?) {
        guard let failure, isOn, served == session?.number else { return }
        session?.failure = failure
    }

    // MARK: The next step

    private mutating func step() -> [Action] {
        let isWanted =
            session != nil && isOn && session?.failure == nil
            && (stage == .nothing || served == session?.number)
        switch stage {
        case .adding, .starting, .stopping, .removing: return []
        case .nothing:
            guard isWanted, let session else { return [] }
            served = session.number
            stage = .adding
            return [.addService]
        case .added:
            guard isWanted, let session else {
                stage = .removing
                return [.removeService]
            }
            if let name = session.name {
                stage = .starting
                return [.startAdvertising(name: name)]
            }
            guard !session.isAsked else { return [] }
            self.session?.isAsked = true
            return [.askName(session: session.number)]
        case .advertising:
            guard !isWanted else { return [] }
            stage = .stopping
            return [.stopAdvertising]
        }
    }
}
