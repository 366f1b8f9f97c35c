extension SimulatedDevice {
    /// Changes what a characteristic does.
    ///
    /// - Parameters:
    ///   - behaviour: What it does from now on.
    ///   - characteristic: The UUID.
    ///   - instance: Which one of those with the UUID, counted from 0; nil is all of them.
    public func setBehaviour(
        _ behaviour: ScriptedBehaviour,
        of characteristic: String,
        instance: Int? = nil
    ) {
        for script in scripts(characteristic, instance) { script.behaviour = behaviour }
    }

    /// Sends a value to everybody who listens to a characteristic.
    ///
    /// - Parameters:
    ///   - value: What is sent.
    ///   - characteristic: The UUID.
    ///   - instance: Which one of those with the UUID, counted from 0; nil is all of them.
    public func send(_ value: [UInt8], on characteristic: String, instance: Int? = nil) {
        for script in scripts(characteristic, instance) { script.send(value) }
    }

    /// How many listen to a characteristic.
    ///
    /// - Parameters:
    ///   - characteristic: The UUID.
    ///   - instance: Which one of those with the UUID, counted from 0; nil is all of them.
    /// - Returns: The sum.
    public func listenerCount(of characteristic: String, instance: Int? = nil) -> Int {
        scripts(characteristic, instance).reduce(0) { $0 + $1.listenerCount }
    }

    private func scripts(_ uuid: String, _ instance: Int?) -> [ServedScript] {
        let all = scripts(uuid)
        guard let instance else { return all }
        return all.indices.contains(instance) ? [all[instance]] : []
    }
}

extension ScriptedCharacteristic {
    /// Whether a descriptor may be written: the description for people, where the flags say so (Core
    /// Specification, Vol 3, Part G, 3.3.3.2).
    func canWrite(_ descriptor: AttributeDatabase.Descriptor) -> Bool {
        descriptor.uuid == UUIDText.long("2901") && flags.contains("writable-auxiliaries")
    }
}

/// What every scripted device is like in the air.
extension SimulatedDevice {
    var bearerCount: Int { 1 }
    var deviceName: String? { name }
    var modalias: String? { nil }
}
