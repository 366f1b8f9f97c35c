internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayDBus
internal import BluejayGLib

/// Connects to a bus and waits until bluetoothd has answered, is known to be unavailable, or the time is
/// over.
///
/// It sends the same requests as any client of the library, so a bus with activation starts bluetoothd.
/// Everything runs on the loop; the probe stays alive until it has called back.
final class BusProbe {
    struct Outcome: Swift.Sendable {
        var reachability: DaemonReachability
        var adapters: [AdapterEvidence]
    }

    private let engine: BlueZEngine
    private var observation: ObservationToken?
    private var timeoutTimer: ScheduledTimer?
    private var completion: ((Outcome) -> Void)?

    private init(_ engine: BlueZEngine, _ done: @escaping (Outcome) -> Void) {
        self.engine = engine
        self.completion = done
    }

    /// Starts a probe; `done` is called once, on the loop, after `limit` at the latest.
    static func start(
        _ loop: MainLoop,
        busAddress: String?,
        within limit: Duration,
        completion: @escaping (Outcome) -> Void
    ) {
        let look = BusProbe(BlueZEngine.shared(on: loop, busAddress: busAddress), completion)
        let client = look.engine.client
        // The closures keep the probe alive until one of them calls `end`.
        look.observation = client.observe { _ in look.endIfKnown() }
        look.timeoutTimer = client.clock.schedule(after: limit) { look.end() }
        look.endIfKnown()
    }

    private func endIfKnown() {
        switch engine.client.state {
        case .connecting: return
        case .busUnavailable, .accessDenied, .serviceNotRunning, .serviceNotResponding, .running:
            end()
        }
    }

    private func end() {
        guard let completion else { return }
        self.completion = nil
        observation = nil
        timeoutTimer = nil
        completion(Outcome(reachability: engine.client.reachability, adapters: adapters))
    }

    private var adapters: [AdapterEvidence] {
        let objects = engine.client.objects
        return engine.bluetoothAdapters.compactMap { facts in
            guard let path = engine.adapter(named: facts.name) else { return nil }
            var adapter = AdapterEvidence(facts)
            let advertising = LEAdvertisingManager1.capabilities(of: path, in: objects)
            adapter.availableInstances = advertising?.supportedInstances
            adapter.isExtended = advertising?.isExtended ?? false
            adapter.experimentalFeatures = objects.experimentalFeatures(ofAdapter: path).count
            adapter.connected = objects.knownPeripherals(of: path).filter(\.isConnected)
            return adapter
        }
    }
}
