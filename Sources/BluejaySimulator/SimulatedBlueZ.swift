internal import BluejayDBus
package import BluejayGLib

/// One simulated world: an `org.bluez` with its adapters, and what is on the air around them.
///
/// It belongs to the main context it was made on. Its specification is what a real bluetoothd was seen to
/// do; `Documentation/Simulator.md` has the list.
public final class SimulatedBlueZ {
    /// What it was set up with.
    public let options: SimulatorOptions

    let connection: BusConnection
    let server: ObjectServer
    let clock: any EventClock
    let waits = Waits()
    private(set) var adapters: [SimulatedAdapter] = []
    private(set) var scripted: [SimulatedDevice] = []
    private(set) lazy var agents = AgentManager(self)
    private var clientWatchers: [(String) -> Void] = []

    static let root: ObjectPath = "/org/bluez"

    /// Puts `org.bluez` on a bus.
    ///
    /// - Parameters:
    ///   - address: The bus, as D-Bus writes addresses; a private one.
    ///   - context: Where it runs.
    ///   - options: The set-up.
    ///   - ready: Called once, with nil when the name is taken up, else with what went wrong.
    package init(
        bus address: String,
        on context: MainContext,
        options: SimulatorOptions,
        ready: @escaping (String?) -> Void
    ) throws {
        self.options = options
        clock = MainContextClock(on: context, scale: options.timeScale)
        connection = try BusConnection(.address(address), on: context, clock: clock)
        server = ObjectServer(connection)
        server.exportManager(at: .root)
        agents.export()
        for number in 0..<options.adapters {
            let adapter = SimulatedAdapter(number, isPowered: options.isPowered, in: self)
            adapters.append(adapter)
            adapter.export()
        }
        watchClients()
        connection.requestName("org.bluez") { ready($0?.description) }
    }

    // MARK: The air

    /// Puts a scripted device on the air.
    public func add(_ device: SimulatedDevice) {
        device.world = self
        device.begin()
        scripted.append(device)
        airChanged(device)
    }

    /// The scripted device with an address; nil when there is none.
    public func device(_ address: String) -> SimulatedDevice? {
        scripted.first { $0.airAddress.text == address.uppercased() }
    }

    /// Switches the power of an adapter as its button would, without a client's `Set`.
    public func setPowered(_ isPowered: Bool, ofAdapter number: Int) {
        adapters.first { $0.number == number }?.setPowered(isPowered) {}
    }

    /// Takes an adapter away as if it was unplugged.
    public func unplug(adapter number: Int) {
        guard let index = adapters.firstIndex(where: { $0.number == number }) else { return }
        adapters.remove(at: index).unplug()
    }

    /// Everything that `adapter` can hear.
    func peers(for adapter: SimulatedAdapter) -> [any AirPeer] {
        let others = adapters.filter { $0 !== adapter && $0.isPowered }.map(\.peripheral)
        return scripted + others
    }

    /// A peer began, changed or ended its advertising.
    func airChanged(_ peer: any AirPeer) {
        for adapter in adapters where adapter.peripheral !== peer { adapter.hears(peer) }
    }

    // MARK: Clients

    /// Calls `watcher` with the unique name of each client that leaves the bus.
    func onClientGone(_ watcher: @escaping (String) -> Void) {
        clientWatchers.append(watcher)
    }

    private func watchClients() {
        let bus = "org.freedesktop.DBus"
        connection.subscribe(MatchRule(sender: bus, interface: bus, member: "NameOwnerChanged")) {
            [weak self] message in
            guard message.sender == bus, let values = try? message.arguments(), values.count == 3,
                let name = values[0].text, values[2].text == ""
            else { return }
            for watcher in self?.clientWatchers ?? [] { watcher(name) }
        }
    }

    // MARK: Helpers

    /// Runs `work` after a wait of the simulated world.
    func after(_ wait: Duration, _ work: @escaping () -> Void) -> ScheduledTimer {
        clock.schedule(after: wait, work)
    }

    /// Runs `work` in the next turn.
    func soon(_ work: @escaping () -> Void) {
        let holder = TimerHolder()
        holder.timer = clock.schedule(after: .zero) {
            holder.timer = nil
            work()
        }
    }
}

private final class TimerHolder {
    var timer: ScheduledTimer?
}

/// The errors that bluetoothd answers with.
enum BlueZError {
    static func make(_ kind: String, _ text: String) -> BusError {
        BusError(name: "org.bluez.Error." + kind, message: text)
    }

    static func failed(_ text: String) -> BusError { make("Failed", text) }
    static let inProgress = make("InProgress", "In Progress")
    static let busy = make("InProgress", "Operation already in progress")
    static let notReady = make("NotReady", "Resource Not Ready")
    static let notSupported = make("NotSupported", "Operation is not supported")
    static let invalidArguments = make("InvalidArguments", "Invalid arguments in method call")
    static let alreadyExists = make("AlreadyExists", "Already Exists")
    static let doesNotExist = make("DoesNotExist", "Does Not Exist")
    static let notConnected = failed("Not connected")
    static let authenticationFailed = make("AuthenticationFailed", "Authentication Failed")

    /// What a client sees of an ATT error code.
    static func attribute(_ code: UInt8, isWrite: Bool) -> BusError {
        switch code {
        case 0x02: return make("NotPermitted", "Read not permitted")
        case 0x03: return make("NotPermitted", "Write not permitted")
        case 0x05, 0x0C, 0x0F: return make("NotPermitted", "Not paired")
        case 0x06: return notSupported
        case 0x07: return make("InvalidArguments", "Invalid offset")
        case 0x08: return make("NotAuthorized", "Operation Not Authorized")
        case 0x0D: return make("InvalidArguments", "Invalid Length")
        case 0x00: return failed("Operation failed")
        default:
            let digits = String(code, radix: 16)
            let padded = (digits.count == 1 ? "0" : "") + digits
            return failed("Operation failed with ATT error: 0x\(padded)")
        }
    }
}
