internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayDBus
internal import BluejayGLib

/// Looks at a bus until bluetoothd has answered, or it is known that it will not, or the time is over.
///
/// It asks what any user of the library asks: where a bus starts services it starts bluetoothd. Everything
/// is on the loop, for which it lives until it has called back.
final class BusProbe {
    /// What came of it.
    struct Result: Swift.Sendable {
        var reach: DaemonReachability
        var adapters: [AdapterEvidence]
    }

    private let engine: BlueZEngine
    private var observation: ObservationToken?
    private var limit: ScheduledTimer?
    private var done: ((Result) -> Void)?

    private init(_ engine: BlueZEngine, _ done: @escaping (Result) -> Void) {
        self.engine = engine
        self.done = done
    }

    /// Begins; `done` comes once, on the loop, after `limit` at the latest.
    static func begin(
        _ loop: MainLoop,
        busAddress: String?,
        within limit: Duration,
        done: @escaping (Result) -> Void
    ) {
        let look = BusProbe(BlueZEngine.shared(on: loop, busAddress: busAddress), done)
        let client = look.engine.client
        // Strongly: nobody else has it. The end of either lets it go.
        look.observation = client.observe { _ in look.endIfKnown() }
        look.limit = client.clock.schedule(after: limit) { look.end() }
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
        guard let done else { return }
        self.done = nil
        observation = nil
        limit = nil
        done(Result(reach: engine.client.reach, adapters: adapters))
    }

    private var adapters: [AdapterEvidence] {
        let objects = engine.client.objects
        return engine.bluetoothAdapters.compactMap { facts in
            guard let path = engine.adapter(called: facts.name) else { return nil }
            var adapter = AdapterEvidence(facts)
            let advertising = LEAdvertisingManager1.facts(of: path, in: objects)
            adapter.room = advertising?.room
            adapter.isExtended = advertising?.isExtended ?? false
            adapter.experimentalFeatures = objects.experimentalFeatures(ofAdapter: path).count
            adapter.connected = objects.knownPeripherals(of: path).filter(\.isConnected)
            return adapter
        }
    }
}
