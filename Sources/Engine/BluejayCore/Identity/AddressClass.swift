/// The class of a peripheral's address, which determines how long the address is valid.
///
/// Specified in the Core Specification, Vol 6, Part B, 1.3.
public enum AddressClass: Hashable, Swift.Sendable {
    /// Registered with the IEEE; never changes.
    case `public`
    /// Chosen by the peripheral; does not change while the peripheral is switched on.
    case staticRandom
    /// Changes about every 15 minutes; paired devices still recognize the peripheral by its identity.
    case resolvablePrivate
    /// Changes, and does not reveal the identity of the peripheral.
    case nonResolvablePrivate
}

extension DeviceAddress {
    /// The class by the two highest bits of a random address, or `nil` for a reserved value.
    package var addressClass: AddressClass? {
        guard kind == .random else { return .public }
        switch octet(0) >> 6 {
        case 0b11: return .staticRandom
        case 0b01: return .resolvablePrivate
        case 0b00: return .nonResolvablePrivate
        default: return nil
        }
    }
}

extension PeripheralIdentifier {
    /// The class of the address, or `nil` if the UUID was not made from an address of a known class.
    ///
    /// Unless the peripheral is paired, an identifier with a private address becomes useless after a
    /// while.
    public var addressClass: AddressClass? { deviceAddress?.addressClass }
}
