internal import BluejayDBus
internal import BluejayGLib
internal import OrderedCollections

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

extension SimulatedBlueZ {
    /// Lets something go wrong now.
    public func apply(_ fault: Fault) {
        switch fault {
        case .daemonKilled:
            // The kernel keeps the links for a moment; nobody on the bus hears of their end.
            end()
        case .daemonTerminated: clock.whenRunning { [weak self] in self?.terminate() }
        case .daemonStarted:
            guard connection == nil else { return }
            startAgain(attempts: 50)
        case .adapterUnplugged(let index): unplug(adapter: index)
        case .adapterPlugged(let index): plug(adapter: index)
        case .daemonStandsStill(let duration): clock.pause(for: duration)
        case .daemonGoesOn: clock.resume()
        case .callsHeld(let member): gate?.hold(member)
        case .callsReleased(let member): gate?.release(member)
        case .callsRefused(let member, let name, let text):
            gate?.refuse(member, with: BusError(name: name, message: text))
        case .otherProgramConnects(let address):
            guard let device = seen(address), !device.isConnected, device.pendingConnection == nil
            else { return }
            device.connect { _ in }
        case .otherProgramDisconnects(let address):
            guard let device = seen(address), device.isConnected else { return }
            device.disconnect(answering: nil)
        }
    }

    /// Starts the daemon, and again after 100 ms if the bus refuses its name.
    private func startAgain(attempts: Int) {
        isDaemonWanted = true
        restart { [weak self] error in
            guard let self, let error, isDaemonWanted else { return }
            StandardError.write("the simulated bluetoothd has not started: \(error)")
            disconnectFromBus()
            guard attempts > 1 else { return }
            startTimer = clock.schedule(after: .milliseconds(100)) { [weak self] in
                guard let self, isDaemonWanted else { return }
                startAgain(attempts: attempts - 1)
            }
        }
    }

    private func plug(adapter index: Int) {
        guard !adapters.contains(where: { $0.name == "hci\(index)" }) else { return }
        // bluetoothd has stored the devices that somebody connected to.
        let known = unplugged.first { $0.name == "hci\(index)" }
        unplugged.removeAll { $0 === known }
        let adapter = known ?? Adapter(index, isPowered: true, in: self)
        adapter.restart()
        append(adapter)
        adapter.export()
    }

    private func seen(_ address: String) -> Device? {
        adapters.first?.devices.values.first { $0.address.text == address.uppercased() }
    }

    /// Takes an adapter away as if it was unplugged.
    public func unplug(adapter number: Int) {
        guard let adapter = adapters.first(where: { $0.name == "hci\(number)" }) else { return }
        adapter.loseController()
        unexport(adapter.path)
        remove(adapter)
        unplugged.append(adapter)
    }

    /// Starts the daemon again; `ready` comes when its name is taken.
    func restart(ready: @escaping (BusError?) -> Void) {
        for adapter in adapters { adapter.restart() }
        start(ready: ready)
    }

    private func terminate() {
        isDaemonWanted = false
        for adapter in adapters {
            adapter.tellPowerState("on-disabling")
            for device in adapter.devices.values { device.adapterWentOff(.byRemoteHost) }
        }
        unexport(AgentManager.path)
        for adapter in adapters {
            for device in adapter.devices.values { device.unexport() }
            adapter.endPower()
            unexport(adapter.path)
        }
        disconnectFromBus()
    }
}
