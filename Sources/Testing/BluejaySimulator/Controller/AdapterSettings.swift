internal import BluejayDBus

/// The properties of an adapter that clients set, apart from its power.
final class AdapterSettings {
    private(set) var alias: String?
    private(set) var isDiscoverable = false
    private var discoverableTimeout: UInt32 = 180
    private var isPairable = false
    private var pairableTimeout: UInt32 = 0
    private let power: AdapterPower
    private let onChange: (String) -> Void

    init(_ power: AdapterPower, onChange: @escaping (String) -> Void) {
        self.power = power
        self.onChange = onChange
    }

    /// The properties in bluetoothd's order, without `Alias`.
    var properties: [BusProperty] {
        [
            BusProperty(
                "Discoverable",
                "b",
                get: { [weak self] in self.map { .boolean($0.isDiscoverable) } },
                set: { [weak self] value, call in self?.setDiscoverable(value, call) }
            ),
            BusProperty(
                "DiscoverableTimeout",
                "u",
                get: { [weak self] in self.map { .uint32($0.discoverableTimeout) } },
                set: { [weak self] value, call in
                    self?.discoverableTimeout = UInt32(value.integer ?? 0)
                    call.reply()
                    self?.onChange("DiscoverableTimeout")
                }
            ),
            BusProperty(
                "Pairable",
                "b",
                get: { [weak self] in self.map { .boolean($0.isPairable) } },
                set: { [weak self] value, call in
                    call.reply()
                    self?.setPairable(value.boolean ?? false)
                }
            ),
            BusProperty(
                "PairableTimeout",
                "u",
                get: { [weak self] in self.map { .uint32($0.pairableTimeout) } },
                set: { [weak self] value, call in
                    self?.pairableTimeout = UInt32(value.integer ?? 0)
                    call.reply()
                    self?.onChange("PairableTimeout")
                }
            ),
        ]
    }

    func setAlias(_ value: BusValue, _ call: MethodInvocation) {
        alias = value.text.flatMap { $0.isEmpty ? nil : $0 }
        call.reply()
        onChange("Alias")
    }

    private func setDiscoverable(_ value: BusValue, _ call: MethodInvocation) {
        guard power.isPowered else { return call.fail(BlueZError.failed("Not Powered")) }
        let discoverable = value.boolean ?? false
        call.reply()
        guard discoverable != isDiscoverable else { return }
        isDiscoverable = discoverable
        onChange("Discoverable")
    }

    func setPairable(_ pairable: Bool) {
        if update(pairable: pairable) { onChange("Pairable") }
    }

    /// Sets `Pairable` without a signal; returns whether it has changed.
    func update(pairable: Bool) -> Bool {
        guard pairable != isPairable else { return false }
        isPairable = pairable
        return true
    }

    /// Resets the settings like a new daemon: without agents, the adapter is not pairable.
    func restart() {
        isPairable = false
    }
}
