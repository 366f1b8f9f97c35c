internal import BluejayDBus

/// `/org/bluez`: the registered pairing agents.
final class AgentManager {
    struct Agent: Equatable {
        var client: String
        var path: ObjectPath
        var capability: String
    }

    private var agents: [Agent] = []
    private var defaultAgent: Agent?
    /// The abilities of the adapters: those of the default agent, which remain when it leaves.
    private(set) var capability = "NoInputNoOutput"
    private let bus: SimulatedBus
    /// Called with the new `Pairable` of the adapters when an agent is registered or unregistered.
    var onPairableChange: (Bool) -> Void = { _ in }

    init(_ bus: SimulatedBus) {
        self.bus = bus
    }

    /// The agent for requests that no client started, or `nil` without agents.
    var agent: Agent? { defaultAgent ?? agents.first }

    /// The agent for requests that a client started.
    func agent(of client: String) -> Agent? {
        agents.first { $0.client == client } ?? agent
    }

    var count: Int { agents.count }

    static let path: ObjectPath = "/org/bluez"
    private static let capabilities = [
        "", "DisplayOnly", "DisplayYesNo", "KeyboardOnly", "NoInputNoOutput", "KeyboardDisplay",
    ]

    func export() {
        agents = []
        defaultAgent = nil
        let manager = BusInterface(
            BlueZNames.agentManager,
            methods: [
                BusMethod("RegisterAgent", inputSignature: "os") { [weak self] in self?.register($0)
                },
                BusMethod("UnregisterAgent", inputSignature: "o") { [weak self] in
                    self?.unregister($0)
                },
                BusMethod("RequestDefaultAgent", inputSignature: "o") { [weak self] in
                    self?.requestDefault($0)
                },
            ]
        )
        let profiles = BusInterface(
            BlueZNames.profileManager,
            methods: [
                BusMethod("RegisterProfile", inputSignature: "osa{sv}") {
                    $0.fail(BlueZError.notSupported)
                },
                BusMethod("UnregisterProfile", inputSignature: "o") {
                    $0.fail(BlueZError.doesNotExist)
                },
            ]
        )
        bus.export([manager, profiles], at: Self.path)
    }

    /// Handles a client leaving the bus; returns the new `Pairable` if the client had an agent.
    func clientDisconnected(_ client: String) -> Bool? {
        if defaultAgent?.client == client { defaultAgent = nil }
        guard agents.contains(where: { $0.client == client }) else { return nil }
        agents.removeAll { $0.client == client }
        updateCapability()
        return !agents.isEmpty
    }

    /// Asks the default agent whether a device may use a service of this computer.
    ///
    /// `accepted` is called once; `false` without an agent.
    func authorize(
        _ uuid: String,
        for device: ObjectPath,
        completion: @escaping (Bool) -> Void
    ) {
        guard let agent, let connection = bus.connection else { return completion(false) }
        let call = MethodCall(
            to: agent.client,
            at: agent.path,
            BlueZNames.agent,
            "AuthorizeService",
            [.objectPath(device), .string(uuid)]
        )
        connection.call(call, timeout: .seconds(60)) { result in
            completion((try? result.get()) != nil)
        }
    }

    private func register(_ call: MethodInvocation) {
        guard let path = call.arguments[0].path, let capability = call.arguments[1].text,
            Self.capabilities.contains(capability)
        else { return call.fail(BlueZError.invalidArguments) }
        guard !agents.contains(where: { $0.client == call.sender }) else {
            return call.fail(BlueZError.alreadyExists)
        }
        agents.append(Agent(client: call.sender, path: path, capability: capability))
        call.reply()
        updatePairable()
    }

    private func unregister(_ call: MethodInvocation) {
        let path = call.arguments[0].path
        guard
            let index = agents.firstIndex(where: { $0.client == call.sender && $0.path == path })
        else { return call.fail(BlueZError.doesNotExist) }
        if defaultAgent == agents[index] { defaultAgent = nil }
        agents.remove(at: index)
        call.reply()
        updatePairable()
    }

    private func requestDefault(_ call: MethodInvocation) {
        let path = call.arguments[0].path
        guard let agent = agents.first(where: { $0.client == call.sender && $0.path == path })
        else { return call.fail(BlueZError.doesNotExist) }
        defaultAgent = agent
        updateCapability()
        call.reply()
    }

    private func updateCapability() {
        if let agent { capability = agent.capability }
    }

    private func updatePairable() {
        updateCapability()
        onPairableChange(!agents.isEmpty)
    }
}
