/// Is told when an adapter comes, goes or changes, and which one is used.
///
/// All calls come on the main loop, in the order of registration, and before a ``ConnectionObserver``
/// hears that Bluetooth can be used or cannot. Every one is optional. At its
/// registration, or as soon as bluetoothd has answered, an observer hears of each adapter that is there,
/// and of the one that is used. Without bluetoothd there are no adapters: when it ends, or Bluejay is
/// stopped, all of them go.
public protocol AdapterObserver: AnyObject {
    /// An adapter was plugged in, or is there at first.
    func adapterAppeared(_ adapter: BluetoothAdapter)

    /// An adapter has gone.
    ///
    /// - Parameter adapter: As it was last.
    func adapterVanished(_ adapter: BluetoothAdapter)

    /// An adapter was switched on or off, named, or discovers or does not any more.
    ///
    /// - Parameters:
    ///   - adapter: As it is now.
    ///   - old: As it was told last.
    func adapterChanged(_ adapter: BluetoothAdapter, from old: BluetoothAdapter)

    /// Calls go to another adapter from now on.
    ///
    /// - Parameter adapter: It may be off; nil is none.
    func adapterInUseChanged(to adapter: BluetoothAdapter?)
}

extension AdapterObserver {
    /// Does nothing.
    public func adapterAppeared(_ adapter: BluetoothAdapter) {}

    /// Does nothing.
    public func adapterVanished(_ adapter: BluetoothAdapter) {}

    /// Does nothing.
    public func adapterChanged(_ adapter: BluetoothAdapter, from old: BluetoothAdapter) {}

    /// Does nothing.
    public func adapterInUseChanged(to adapter: BluetoothAdapter?) {}

    func hear(_ change: AdapterList.Change) {
        switch change {
        case .appeared(let adapter): adapterAppeared(adapter)
        case .vanished(let adapter): adapterVanished(adapter)
        case .changed(let adapter, let old): adapterChanged(adapter, from: old)
        case .inUse(let adapter): adapterInUseChanged(to: adapter)
        }
    }
}
