package import BluejayCore
package import BluejayDBus
package import BluejayGLib

/// One user's access to the Bluetooth of a host: the adapter, its state, and the end of the loop.
///
/// It belongs to the loop of the host, and opens nothing before `open`.
package final class BluetoothAccess {
    /// Receives each change of the adapter, and of `state`, which has its new value already.
    package var onChange: ((AdapterSelector.Action) -> Void)?
    /// The state that the user was last notified of.
    package private(set) var state = BluetoothState.unknown
    /// `nil` before `open` and after `close`.
    package private(set) var tracker: AdapterTracker?

    private let host: BluetoothHost
    private var shutdownHook: ShutdownHook?

    package init(_ host: BluetoothHost) {
        self.host = host
    }

    package var context: MainContext { host.mainLoop.context }
    /// Whether the loop ends or has ended.
    package var isEnding: Bool { context.isEnding }
    package var engine: BlueZEngine? { tracker?.engine }
    /// The chosen adapter, if it is usable.
    package var adapter: ObjectPath? { tracker?.adapter }
    package var isUsable: Bool { adapter != nil }

    /// The scans of the adapter, if it is usable.
    package var discoverySession: DiscoverySession? {
        guard let tracker, let adapter else { return nil }
        return tracker.engine.discoverySession(adapter)
    }

    /// The link to a device over the adapter, if that is usable.
    package func link(to address: DeviceAddress) -> Link? {
        guard let tracker, let adapter else { return nil }
        return tracker.engine.link(to: address, over: adapter)
    }

    /// Makes the end of the loop wait for the user, also before `open`; repeated calls have no effect.
    ///
    /// - Parameters:
    ///   - onEnding: Called when the loop ends, which waits until the argument is called.
    ///   - onEnded: Called when the loop waits no longer.
    package func followLoop(
        onEnding: @escaping (@escaping () -> Void) -> Void,
        onEnded: @escaping () -> Void = {}
    ) {
        guard shutdownHook == nil else { return }
        shutdownHook = context.addShutdownHook(onEnding, ended: onEnded)
    }

    /// Starts to follow Bluetooth; `reportState` of the tracker then reports what is known already.
    @discardableResult
    package func open() -> AdapterTracker {
        let tracker = AdapterTracker(host)
        self.tracker = tracker
        tracker.onChange = { [weak self] action in
            guard let self else { return }
            if case .report(let state) = action { self.state = state }
            onChange?(action)
        }
        return tracker
    }

    package func close() {
        shutdownHook = nil
        tracker?.onChange = nil
        tracker = nil
        state = .unknown
    }
}
