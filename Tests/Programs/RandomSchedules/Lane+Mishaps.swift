import BluejaySimulator

extension Lane {
    func perform(_ mishap: Mishap) async {
        switch mishap {
        case .notify(let peer, let count):
            let values = (0..<count).map { _ in Numbers.nextBytes() }
            await at(peer) { device in for value in values { device.send(value, on: "2A37") } }
        case .dropLink(let peer): await at(peer) { $0.dropLink() }
        case .leaveRange(let peer): await at(peer) { $0.leaveRange() }
        case .returnToRange(let peer): await at(peer) { $0.returnToRange() }
        case .stopResponding(let peer): await at(peer) { $0.stopResponding() }
        case .power(let isOn): await system.perform { $0.setPowered(isOn, ofAdapter: 0) }
        case .killDaemon: await system.killDaemon()
        case .terminateDaemon: await system.terminateDaemon()
        case .startDaemon: await system.perform { $0.apply(.daemonStarted) }
        case .behavior(let peer, let attribute, let behavior):
            guard let script = behavior.script(of: attribute) else { return }
            await at(peer) { $0.setBehavior(script, of: attribute.rawValue) }
        case .removeService(let peer): await at(peer) { $0.removeService("FFE0") }
        case .addService(let peer):
            await at(peer) { device in
                device.removeService("FFE0")
                device.addEcho()
            }
        }
    }

    private func at(
        _ peer: Int,
        _ work: @escaping @Sendable (SimulatedDevice) -> Void
    ) async {
        await system.perform { world in
            if let device = world.device(Self.addresses[peer]) { work(device) }
        }
    }

    /// Ends all mishaps, and returns when everything works.
    func restore(peers: Int, services: Bool, links: Bool) async {
        await perform(.startDaemon)
        await control.waitForAdapter()
        await perform(.power(true))
        await control.waitForPower()
        for peer in 0..<peers {
            await perform(.returnToRange(peer: peer))
            for attribute in Attribute.allCases {
                await perform(.behavior(peer: peer, attribute, .works))
            }
            if links { await perform(.dropLink(peer: peer)) }
            if services { await perform(.addService(peer: peer)) }
        }
    }
}

extension Mishap.Behavior {
    /// Returns the behaviour of a characteristic; `nil` if no peripheral has it.
    fileprivate func script(of attribute: Attribute) -> ScriptedBehavior? {
        guard attribute != .missing else { return nil }
        switch self {
        case .works:
            switch attribute {
            case .numbers: return .value([])
            case .location: return .value([1])
            case .echo: return .echoes([7])
            case .control, .missing: return .value([7])
            }
        case .refuses: return .refuses(0x80)
        case .isSilent: return .neverReplies
        case .leaves: return .disconnects
        case .isLate: return .repliesLate([9], afterSeconds: 3)
        }
    }
}
