package import BluejayCore
internal import BluejayDBus
internal import BluejayGLib

/// Where the channels of one user are: the adapter that is chosen and can be used at present.
package final class ChannelHost {
    package let engine: BlueZEngine
    /// Called when `adapter` or `state` has changed.
    var onChange: (() -> Void)?
    private var selector: AdapterSelector
    private var observation: Observation?

    /// - Parameters:
    ///   - engine: Of the loop and the bus.
    ///   - adapter: A name or an address; nil is the first one that is on.
    package init(_ engine: BlueZEngine, adapter: String?) {
        self.engine = engine
        selector = AdapterSelector(adapter.map { .named($0) } ?? .any)
        _ = selector.changed(engine.client)
        observation = engine.client.observe(.adapters) { [weak self] _ in self?.changed() }
    }

    var client: BlueZClient { engine.client }
    /// The adapter when it can be used.
    var adapter: ObjectPath? { selector.usableAdapter }
    /// Whether it is known that Bluetooth can or cannot be used.
    var isKnown: Bool { selector.isKnown }
    /// Why Bluetooth can or cannot be used.
    package var state: BluetoothState { selector.state }

    /// While something is on an adapter, no other one is chosen as long as that is on.
    func pin(_ isPinned: Bool) {
        _ = selector.setPinned(isPinned)
    }

    private func changed() {
        let before = (selector.state, selector.usableAdapter)
        _ = selector.changed(engine.client)
        if before != (selector.state, selector.usableAdapter) { onChange?() }
    }
}
