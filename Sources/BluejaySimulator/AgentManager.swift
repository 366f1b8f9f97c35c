internal import BluejayDBus

/// `org.bluez.AgentManager1`: who answers when a device wants to pair.
final class AgentManager {
    private unowned let world: SimulatedBlueZ
    private var agents: [String: ObjectPath] = [:]

    init(_ world: SimulatedBlueZ) {
        self.world = world
    }

    /// The client and the path of an agent; nil while there is none.
    var agent: (client: String, path: ObjectPath)? {
        agents.min { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    func export() {
        world.server.export(
            [
                BusInterface(
                    "org.bluez.AgentManager1",
                    methods: [
                        BusMethod("RegisterAgent", takes: "os") { [weak self] in self?.register($0)
                        },
                        BusMethod("UnregisterAgent", takes: "o") { [weak self] in
                            self?.unregister($0)
                        },
                        BusMethod("RequestDefaultAgent", takes: "o") { [weak self] call in
                            let isKnown = self?.agents[call.sender] == call.arguments[0].path
                            isKnown ? call.reply() : call.fail(BlueZError.doesNotExist)
                        },
                    ]
                )
            ],
            at: SimulatedBlueZ.root
        )
        world.onClientGone { [weak self] name in self?.remove(name) }
    }

    private func register(_ call: MethodInvocation) {
        guard agents[call.sender] == nil else { return call.fail(BlueZError.alreadyExists) }
        agents[call.sender] = call.arguments[0].path
        call.reply()
        for adapter in world.adapters { adapter.setPairable(true) }
    }

    private func unregister(_ call: MethodInvocation) {
        guard agents[call.sender] == call.arguments[0].path else {
            return call.fail(BlueZError.doesNotExist)
        }
        call.reply()
        remove(call.sender)
    }

    private func remove(_ client: String) {
        guard agents.removeValue(forKey: client) != nil, agents.isEmpty else { return }
        for adapter in world.adapters { adapter.setPairable(false) }
    }
}
