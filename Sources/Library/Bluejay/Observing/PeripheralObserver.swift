/// An observer of the connected peripheral's properties other than services, called like
/// ``ConnectionObserver``.
public protocol PeripheralObserver: AnyObject {
    /// Reports a new ATT MTU, which limits a write without response, for example.
    ///
    /// - Parameters:
    ///   - mtu: 23 to 517 bytes.
    ///   - peripheral: The connected peripheral.
    func didUpdateMTU(_ mtu: Int, of peripheral: PeripheralIdentifier)

    /// Reports changes of the name, alias, appearance, pairing, address or list of services.
    ///
    /// May be called without a difference.
    ///
    /// - Parameters:
    ///   - details: The current details.
    ///   - peripheral: The connected peripheral.
    func didUpdateDetails(_ details: PeripheralDetails, of peripheral: PeripheralIdentifier)

    /// Reports that ``Bluejay/Bluejay/canSendWriteWithoutResponse`` has become true again.
    ///
    /// - Parameter peripheral: The connected peripheral.
    func peripheralIsReady(toSendWriteWithoutResponse peripheral: PeripheralIdentifier)
}

extension PeripheralObserver {
    /// Does nothing.
    public func peripheralIsReady(toSendWriteWithoutResponse peripheral: PeripheralIdentifier) {}

    /// Does nothing.
    public func didUpdateMTU(_ mtu: Int, of peripheral: PeripheralIdentifier) {}

    /// Does nothing.
    public func didUpdateDetails(
        _ details: PeripheralDetails,
        of peripheral: PeripheralIdentifier
    ) {}
}
