internal import BluejayDBus
package import BluejayGLib

extension BlueZEngine {
    /// The engine that all users on a loop share for one bus.
    ///
    /// A nil `busAddress` is the system bus, or the value of `DBUS_SYSTEM_BUS_ADDRESS`.
    package static func shared(on loop: MainLoop, busAddress: String?) -> BlueZEngine {
        shared(on: loop.context, address: BusAddress(busAddress, of: loop.context))
    }
}
