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

    private init(_ engine: BlueZEngine, _ completion: @escaping (Outcome) -> Void) {
        self.engine = engine
        self.completion = completion
    }

    /// Starts a probe; `completion` is called once, on the loop, after the limit at the latest.
    static func start(
        _ loop: MainLoop,
        busAddress: String?,
        within timeout: Duration,
        completion: @escaping (Outcome) -> Void
    ) {
        let probe = BusProbe(BlueZEngine.shared(on: loop, busAddress: busAddress), completion)
        let client = probe.engine.client
        // The closures keep the probe alive until one of them calls `end`.
        probe.observation = client.observe { _ in probe.endIfKnown() }
        probe.timeoutTimer = client.clock.schedule(after: timeout) { probe.end() }
        probe.endIfKnown()
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
        return engine.bluetoothAdapters.compactMap { adapter in
            guard let path = engine.adapter(named: adapter.name) else { return nil }
            var evidence = AdapterEvidence(adapter)
            let advertising = LEAdvertisingManager1.capabilities(of: path, in: objects)
            evidence.availableInstances = advertising?.supportedInstances
            evidence.isExtended = advertising?.isExtended ?? false
            evidence.experimentalFeatures = objects.experimentalFeatures(ofAdapter: path).count
            evidence.connected = objects.knownPeripherals(of: path).filter(\.isConnected)
            return evidence
        }
    }
}
