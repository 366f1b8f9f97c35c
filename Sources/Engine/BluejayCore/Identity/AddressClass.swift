/// What the address of a peripheral is good for.
///
/// Core Specification, Vol 6, Part B, 1.3.
public enum AddressClass: Hashable, Swift.Sendable {
    /// Registered with the IEEE; it never changes.
    case `public`
    /// Chosen by the peripheral; it stays at least until that is switched off.
    case staticRandom
    /// Changes every quarter of an hour or so; who is paired knows the peripheral by its identity all the
    /// same.
    case resolvablePrivate
    /// Changes, and nobody can tell that it is the same peripheral.
    case nonResolvablePrivate
}

extension DeviceAddress {
    /// The class, by the two highest bits of a random address; nil for what is reserved.
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
    /// What the address is good for, or nil when the UUID was not made from one of a known class.
    ///
    /// An identifier of a private address is worth nothing after a while, unless the peripheral is
    /// paired.
    public var addressClass: AddressClass? { deviceAddress?.addressClass }
}
