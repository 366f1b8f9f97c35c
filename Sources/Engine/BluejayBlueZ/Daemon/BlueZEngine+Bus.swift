internal import BluejayDBus
package import BluejayGLib

extension BlueZEngine {
    /// The engine that everything on a loop shares for one bus.
    ///
    /// - Parameters:
    ///   - loop: Where it is used.
    ///   - busAddress: Nil is the system bus, or what `DBUS_SYSTEM_BUS_ADDRESS` says.
    /// - Returns: The one that is there, or a new one.
    package static func shared(on loop: MainLoop, busAddress: String?) -> BlueZEngine {
        shared(on: loop.context, address: BusAddress(busAddress, of: loop.context))
    }
}
