/// What can go wrong in a simulated system, as data.
public enum Fault: Equatable, Swift.Sendable {
    /// The daemon is killed: the name is lost, and nothing is said before.
    case daemonKilled
    /// The daemon is asked to end: it switches off and takes its objects away first.
    case daemonTerminated
    /// The daemon starts again; it knows the devices that somebody connected to.
    case daemonStarted
    /// An adapter is pulled out, by its number.
    case adapterUnplugged(Int)
    /// An adapter is plugged in, by its number; it is on.
    case adapterPlugged(Int)
    /// The daemon stands still for so many simulated seconds, as after SIGSTOP, and then goes on.
    ///
    /// It keeps its name and answers nobody; what was asked and what came by radio meanwhile follows
    /// in its order.
    case daemonStandsStill(for: Duration)
    /// A daemon that stands still goes on before its time.
    case daemonGoesOn
    /// Calls of a method, for example `StartNotify`, are not looked at from now on: nobody gets an
    /// answer before `callsReleased`, nor an error.
    case callsHeld(String)
    /// Calls of the method are looked at again, those that wait first.
    case callsReleased(String)
    /// Calls of a method are refused with this error from now on, until `callsReleased`.
    case callsRefused(String, name: String, text: String)
    /// Another program on the bus asks `hci0` to connect to the device with this address.
    ///
    /// The attempt waits for a device that does not advertise, and ends with `Disconnect`. Nothing
    /// happens when the adapter has not seen the device, or it is connected.
    case otherProgramConnects(String)
    /// Another program on the bus asks `hci0` to disconnect the device with this address.
    ///
    /// The link ends 2 s later, and until then bluetoothd shows it as it was.
    case otherProgramDisconnects(String)
}
