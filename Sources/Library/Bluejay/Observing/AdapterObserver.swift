/// An observer of the computer's Bluetooth adapters.
///
/// All methods are optional, and called like those of ``ConnectionObserver``, before such an observer receives
/// a change of availability. At registration, or as soon as bluetoothd has
/// answered, an observer receives each existing adapter and the adapter in use. Without bluetoothd there are
/// no adapters: when it ends, or when Bluejay is stopped, all of them are removed.
public protocol AdapterObserver: AnyObject {
    /// Reports a new or existing adapter.
    func adapterAppeared(_ adapter: BluetoothAdapter)

    /// Reports a removed adapter.
    ///
    /// - Parameter adapter: The last known state.
    func adapterVanished(_ adapter: BluetoothAdapter)

    /// Reports an adapter that was switched on or off, was renamed, or has started or stopped discovering.
    ///
    /// - Parameters:
    ///   - adapter: The current state.
    ///   - old: The state reported last.
    func adapterChanged(_ adapter: BluetoothAdapter, from old: BluetoothAdapter)

    /// Reports that later calls use another adapter.
    ///
    /// - Parameter adapter: The adapter, on or off, or `nil` if there is no adapter.
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
}
