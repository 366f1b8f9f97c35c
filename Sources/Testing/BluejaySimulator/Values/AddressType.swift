enum AddressType: String, Hashable {
    /// Assigned by the manufacturer.
    case `public`
    /// Chosen by the device.
    case random
}
