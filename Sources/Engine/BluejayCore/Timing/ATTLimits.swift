/// The limits of the Attribute Protocol.
package enum ATTLimits {
    /// The longest attribute value, in bytes (Core Specification, Vol 3, Part F, 3.2.9).
    @inlinable package static var maximumValueLength: Int { 512 }

    /// The minimum ATT MTU, which applies until the devices negotiate another one (Vol 3, Part G,
    /// 5.2.1).
    @inlinable package static var minimumMTU: Int { 23 }

    /// Returns the number of value bytes that fit into one notification or write command: MTU − 3.
    ///
    /// - Parameter mtu: The ATT MTU, or `nil` if it is unknown.
    /// - Returns: At least 20.
    @inlinable package static func payload(mtu: Int?) -> Int {
        max(minimumMTU, mtu ?? minimumMTU) - 3
    }
}
