internal import BluejayDBus

extension SimulatedBlueZ {
    /// The number of resources that programs hold at bluetoothd, by kind.
    package var heldResources: [String: Int] {
        var counts: [String: Int] = ["agents": agentCount]
        for adapter in adapters {
            for (kind, count) in adapter.heldResources { counts[kind, default: 0] += count }
        }
        return counts.filter { $0.value > 0 }
    }

    /// Counts the connections and match rules of all programs at the bus, by kind.
    ///
    /// - Parameter completion: Called once; with an empty dictionary if the bus cannot count them.
    package func countBusResources(_ completion: @escaping ([String: Int]) -> Void) {
        guard let connection = bus.connection else { return completion([:]) }
        let call = MethodCall(
            to: BlueZNames.bus,
            at: "/org/freedesktop/DBus",
            "\(BlueZNames.bus).Debug.Stats",
            "GetStats"
        )
        connection.call(call) { result in
            let counts = (try? result.get())?.first?.namedValues ?? [:]
            let kinds = ["ActiveConnections": "connections", "MatchRules": "match rules"]
            completion(
                kinds.reduce(into: [:]) { $0[$1.value] = counts[$1.key]?.integer }
            )
        }
    }

    /// Ends all faults: everything is switched on, in range and answering, and runs.
    ///
    /// Devices that the faults have changed keep their changes.
    package func endFaults() {
        play(FaultSchedule())
        apply(.daemonResumed)
        apply(.adaptersBlocked(false))
        apply(.daemonStarted)
        for number in 0..<options.adapters {
            apply(.adapterPlugged(number))
            apply(.adapterPowered(number, options.isPowered))
        }
        apply(.deviceReturned(nil))
    }

    /// Whether bluetoothd runs, with all its adapters in the configured state.
    package var isWhole: Bool {
        bus.connection?.uniqueName != nil && adapters.count == options.adapters
            && adapters.allSatisfy { $0.power.isPowered == options.isPowered }
    }

    /// Makes bluetoothd forget all devices, as `RemoveDevice` of each.
    package func forgetDevices() {
        for adapter in adapters { adapter.forgetDevices() }
    }
}

extension Adapter {
    fileprivate var heldResources: [String: Int] {
        [
            "links": linkCount,
            "scans": discoveryClientCount,
            "subscriptions": devices.values.reduce(0) { $0 + $1.gatt.subscribedCount },
            "applications": gatt.applicationCount,
            "advertisements": advertising.count,
            "monitors": monitors.applicationCount,
            "channel listeners": channelListeners.count,
        ]
    }
}
