internal import BluejayDBus
internal import BluejayGLib

/// Runs one `PowerStateMachine`.
///
/// The engine retains the switch until it has finished, even without its caller.
final class PowerSwitch {
    private let client: BlueZClient
    private let adapter: ObjectPath
    private let isOn: Bool
    private var machine: PowerStateMachine
    private var timer: ScheduledTimer?
    private var observation: ObservationToken?
    private var completion: ((AdapterFailure?) -> Void)?

    init(_ client: BlueZClient, _ adapter: ObjectPath, isOn: Bool) {
        self.client = client
        self.adapter = adapter
        self.isOn = isOn
        machine = PowerStateMachine(switchingOn: isOn)
    }

    /// Starts; `completion` is called once, on a later iteration.
    func start(completion: @escaping (AdapterFailure?) -> Void) {
        self.completion = completion
        observation = client.observe(.adapters) { [weak self] in self?.receive($0) }
        perform(machine.start(now: client.clock.now))
    }

    private var state: AdapterState { client.objects.adapterState(adapter) }

    private func receive(_ event: BlueZClient.Event) {
        switch event {
        case .disconnectReason: break
        case .stateChanged(let state):
            if state != .running { perform(machine.daemonLost()) }
        case .changed(let changes):
            if changes.contains(where: { $0.path == adapter && $0.concernsAdapter }) {
                perform(machine.changed(state))
            }
        }
    }

    private func perform(_ actions: [PowerStateMachine.Action]) {
        for action in actions {
            switch action {
            case .call(let id): call(id)
            case .setTimer(let instant):
                timer = client.clock.schedule(at: instant) { [weak self] in
                    guard let self else { return }
                    perform(machine.timerFired(now: client.clock.now))
                }
            case .finish(let failure):
                let completion = completion
                self.completion = nil
                observation = nil
                completion?(failure)
            }
        }
    }

    private func call(_ id: Int) {
        let call = Adapter1.setPowered(adapter, isOn)
        client.call(call, timeout: PowerStateMachine.timeout) { [weak self] result in
            guard let self else { return }
            let reply: PowerStateMachine.Reply
            switch result {
            case .success: reply = .accepted
            case .failure(let error): reply = .failed(AdapterFailure(error))
            }
            perform(machine.replied(id, reply, state, now: client.clock.now))
        }
    }
}
