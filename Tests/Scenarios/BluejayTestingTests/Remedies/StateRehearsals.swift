import Bluejay
import BluejayAsync
import BluejaySimulator
import BluejayTesting
import Foundation

/// The states in which Bluetooth is not available, each with its own sentence.
enum ListedState: CaseIterable, Swift.Sendable {
    case unknown, resetting, poweredOn, poweredOff, blocked, noAdapter, adapterNotFound
    case serviceNotRunning, serviceNotResponding, busUnavailable, unauthorized

    init(_ state: BluetoothState) {
        self =
            switch state {
            case .unknown: .unknown
            case .resetting: .resetting
            case .poweredOn: .poweredOn
            case .poweredOff: .poweredOff
            case .blocked: .blocked
            case .noAdapter: .noAdapter
            case .adapterNotFound: .adapterNotFound
            case .serviceNotRunning: .serviceNotRunning
            case .serviceNotResponding: .serviceNotResponding
            case .busUnavailable: .busUnavailable
            case .unauthorized: .unauthorized
            }
    }

    /// The rehearsal, or `nil` if the simulator cannot make the state.
    var rehearsal: Rehearsal? {
        switch self {
        case .unknown: .beforeStart
        // A simulated bluetoothd answers the first question after a restart at once.
        case .resetting: nil
        // Bluetooth must return between the failure of a call and the creation of its error.
        case .poweredOn: nil
        case .poweredOff: .bluetoothUnavailable
        case .blocked: .adapterBlocked
        case .noAdapter: .noAdapter
        case .adapterNotFound: .adapterNotFound
        case .serviceNotRunning: .serviceNotRunning
        case .serviceNotResponding: .serviceNotResponding
        case .busUnavailable: .busUnavailable
        case .unauthorized: .unauthorized
        }
    }
}

extension Rehearsal {
    fileprivate static let beforeStart = Rehearsal(
        "call start() and wait for bluetoothAvailable(true)"
    ) { stage in
        try await stage.read()
    } remedy: { stage in
        try await stage.start()
        try await stage.connect()
        try await stage.read()
    }

    fileprivate static let adapterBlocked = Rehearsal(
        "run `sudo rfkill unblock bluetooth`, then `bluetoothctl power on`"
    ) { stage in
        try await stage.start()
        try stage.world.perform { $0.setBlocked(true) }
        try await stage.sleep(1)
        try await stage.read()
    } remedy: { stage in
        try stage.world.perform { $0.setBlocked(false) }
        try await stage.setPowered(true)
        try await stage.connect()
    }

    fileprivate static let noAdapter = Rehearsal("plug one in", { $0.adapters = 1 }) { stage in
        try await stage.start()
        try stage.apply(.adapterUnplugged(0))
        try await stage.sleep(1)
        try await stage.read()
    } remedy: { stage in
        try stage.apply(.adapterPlugged(0))
        try await stage.sleep(1)
        try await stage.connect()
    }

    fileprivate static let adapterNotFound = Rehearsal(
        "`ls /sys/class/bluetooth` lists the adapters"
    ) { stage in
        let other = stage.world.makeBluejay(adapter: "hci7")
        stage.others.append(other)
        await other.start()
        try await stage.sleep(1)
        _ = try await other.read(from: .gadget("FFE1"))
    } remedy: { stage in
        let other = stage.others.last as? Bluejay
        _ = try await other?.useAdapter("hci0")
        try await other?.connect(stage.identifier, timeout: .seconds(20))
    }

    fileprivate static let serviceNotRunning = Rehearsal("run `sudo systemctl start bluetooth`") {
        stage in
        try await stage.start()
        try stage.apply(.daemonKilled)
        try await stage.sleep(60)
        try await stage.read()
    } remedy: { stage in
        try stage.apply(.daemonStarted)
        try await stage.wait("Bluetooth") { stage.bluejay.isBluetoothAvailable }
        try await stage.connect()
    }

    fileprivate static let serviceNotResponding = Rehearsal(
        "run `sudo systemctl restart bluetooth`"
    ) { stage in
        try stage.apply(.callsHeld("GetManagedObjects"))
        await stage.bluejay.start()
        try await stage.sleep(40)
        try await stage.read()
    } remedy: { stage in
        try stage.apply(.daemonKilled, .callsReleased("GetManagedObjects"), .daemonStarted)
        try await stage.wait("Bluetooth") { stage.bluejay.isBluetoothAvailable }
        try await stage.connectIfNeeded()
    }

    fileprivate static let busUnavailable = Rehearsal(
        "check that dbus is running (`systemctl status dbus`) and that DBUS_SYSTEM_BUS_ADDRESS, if "
            + "set, is right"
    ) { stage in
        let mainLoop = stage.world.mainLoop
        let other = Bluejay(mainLoop: mainLoop, busAddress: "unix:path=/nowhere")
        stage.others.append(other)
        await other.start()
        try await stage.sleep(1)
        _ = try await other.read(from: .gadget("FFE1"))
    } remedy: { stage in
        // The world's address is right.
        try await stage.connect()
    }

    fileprivate static let unauthorized = Rehearsal(
        "run `bluejay doctor`, or check bluetooth.conf in /etc/dbus-1/system.d and "
            + "/usr/share/dbus-1/system.d"
    ) { stage in
        let name = "org.freedesktop.DBus.Error.AccessDenied"
        try stage.apply(.callsRefused("GetManagedObjects", name: name, text: "rejected"))
        await stage.bluejay.start()
        try await stage.sleep(1)
        try await stage.read()
    } remedy: { stage in
        try stage.accept("GetManagedObjects")
        try await stage.wait("Bluetooth") { stage.bluejay.isBluetoothAvailable }
        try await stage.connectIfNeeded()
    }
}

extension RehearsalStage {
    /// Connects, unless the connection has returned.
    fileprivate func connectIfNeeded() async throws {
        if !bluejay.isConnected {
            try await bluejay.connect(identifier, timeout: .seconds(20))
        }
        try await read()
    }
}
