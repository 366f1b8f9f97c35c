internal import BluejayDBus
package import BluejayGLib

extension BlueZEngine {
    /// Returns the engine that all users on a loop share for one bus, creating it if necessary.
    ///
    /// - Parameters:
    ///   - loop: The loop of the users.
    ///   - busAddress: The address of the bus; nil is the system bus, or the value of
    ///     `DBUS_SYSTEM_BUS_ADDRESS`.
    /// - Returns: The shared engine.
    package static func shared(on loop: MainLoop, busAddress: String?) -> BlueZEngine {
        shared(on: loop.context, address: BusAddress(busAddress, of: loop.context))
    }
}
