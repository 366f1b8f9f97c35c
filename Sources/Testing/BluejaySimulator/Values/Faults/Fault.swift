/// A fault of a simulated system or the recovery from it, as data.
public enum Fault: Equatable, Swift.Sendable {
    /// The daemon is killed: it loses its name without any signal.
    case daemonKilled
    /// The daemon is asked to end: it turns the adapters off and removes its objects first.
    case daemonTerminated
    /// The daemon starts again; it knows the devices that were connected before.
    case daemonStarted
    /// An adapter is unplugged, by its number.
    case adapterUnplugged(Int)
    /// An adapter is plugged in, by its number; it is powered on.
    case adapterPlugged(Int)
    /// The system turns an adapter, by its number, on or off.
    case adapterPowered(Int, Bool)
    /// rfkill blocks all adapters, as in airplane mode, or unblocks them.
    case adaptersBlocked(Bool)
    /// The bus ends and starts again at the same address: every program is disconnected, and the daemon
    /// starts again.
    case busRestarted
    /// The links of a device end, by its address; `nil` means every scripted device.
    case linkLost(String?, SimulatedDisconnectReason)
    /// A device leaves the range, by its address; `nil` means every scripted device.
    case deviceLeft(String?)
    /// A device is in range again and answers, by its address; `nil` means every scripted device.
    case deviceReturned(String?)
    /// A device stops answering while its link stays open, by its address; `nil` means every scripted device.
    case deviceSilent(String?)
    /// A device registers its services again, by its address; `nil` means every scripted device.
    ///
    /// See ``SimulatedDevice/registerServicesAgain()``.
    case servicesChanged(String?)
    /// The daemon is suspended for this simulated time, as by SIGSTOP, and then resumes.
    ///
    /// It keeps its name and answers no calls; calls and radio events that arrive meanwhile are handled in
    /// order afterwards.
    case daemonFrozen(for: Duration)
    /// A suspended daemon resumes early.
    case daemonResumed
    /// Calls of a method, for example `StartNotify`, are held: they receive neither a reply nor an error
    /// before `callsReleased`.
    case callsHeld(String)
    /// Calls of a method are handled again, the held ones first.
    case callsReleased(String)
    /// Calls of a method are refused with this error until `callsReleased`.
    case callsRefused(String, name: String, text: String)
    /// Another program on the bus asks `hci0` to connect to the device with this address.
    ///
    /// The attempt waits for a device that does not advertise, and ends with `Disconnect`. This fault has no
    /// effect if the adapter has not seen the device, or if it is connected.
    case otherProgramConnects(String)
    /// Another program on the bus asks `hci0` to disconnect the device with this address.
    ///
    /// The link ends after 2 s; until then, bluetoothd reports the device as connected.
    case otherProgramDisconnects(String)
    /// Another program on the bus starts or stops a scan of `hci0`.
    case otherProgramScans(Bool)
    /// Another program on the bus acquires the notifications of the first characteristic with this UUID of a
    /// connected device, or releases them.
    ///
    /// bluetoothd refuses a second `AcquireNotify` of the same characteristic.
    case otherProgramAcquires(String, Bool)
    /// Whether `Disconnect` fails to prevent a link that is being established.
    ///
    /// bluetoothd 5.66 does this occasionally, most often on a busy computer: it cancels `Connect`, replies to
    /// both calls, and then signals `Connected`. Establishing a link takes 10 ms; `false` ends the fault.
    case connectsDespiteDisconnect(Bool)
}
