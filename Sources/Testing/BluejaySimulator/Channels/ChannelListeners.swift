internal import BluejayDBus

/// The names of Linux's part in Bluetooth sockets, which a real bluetoothd does not have.
enum KernelNames {
    static let path: ObjectPath = "/org/bluejay/kernel"
    static let channels = "org.bluejay.SimulatedKernel1"
    static let host = "org.bluejay.SimulatedHost1"
}

/// The channel listeners of programs at one adapter.
final class ChannelListeners {
    private var byPSM: [UInt16: ProgramListener] = [:]
    var count: Int { byPSM.count }

    subscript(psm: UInt16) -> ProgramListener? {
        get { byPSM[psm] }
        set {
            byPSM[psm]?.close()
            byPSM[psm] = newValue
        }
    }

    /// The first PSM above 0x7F without a listener.
    var free: UInt16? { (0x80...0xFF).first { byPSM[$0] == nil } }

    func clientDisconnected(_ client: String) {
        for (psm, listener) in byPSM where listener.client == client { self[psm] = nil }
    }

    func removeAll() {
        for listener in byPSM.values { listener.close() }
        byPSM = [:]
    }
}
