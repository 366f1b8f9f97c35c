package import BluejayCore
internal import BluejayDBus
package import BluejayGLib

/// A socket whose other end is a peer's.
struct ConnectedSocket {
    let socket: BluetoothSocket
    /// The longest packet that the peer takes.
    let sendMTU: Int
}

/// What is wanted of whoever makes channels.
struct ChannelWish {
    /// Of the adapter.
    var own: SocketAddress
    var psm: UInt16
    /// 1 to 4.
    var security: Int
}

/// Who makes channels: the kernel, or the simulated BlueZ where there is no Bluetooth.
protocol ChannelKernel: AnyObject {
    /// Connects over a link that is up; `done` is called once, in a later turn, unless it is cancelled.
    func connect(
        _ wish: ChannelWish,
        to peer: SocketAddress,
        done: @escaping (Result<ConnectedSocket, ChannelFailure>) -> Void
    ) -> ChannelAttempt

    /// Listens; `done` is called once, in a later turn, unless it is cancelled.
    func listen(
        _ wish: ChannelWish,
        done: @escaping (Result<any ChannelListening, ChannelFailure>) -> Void
    ) -> ChannelAttempt
}

/// Something under way; it ends without a word when it is released.
class ChannelAttempt {
    init() {}
}

/// Where channels of peers come in, until it is released.
protocol ChannelListening: AnyObject {
    var psm: UInt16 { get }
    /// Called with each channel and the address of the peer.
    var onIncoming: ((ConnectedSocket, DeviceAddress) -> Void)? { get set }
    /// Whether channels are taken; those that come meanwhile wait, or are refused.
    var isTaking: Bool { get set }
    /// Takes no more.
    func close()
}

extension DeviceAddress {
    /// As the kernel takes it.
    package var socketAddress: SocketAddress {
        SocketAddress(octets: octets, isRandom: kind == .random)
    }

    package init?(_ address: SocketAddress) {
        self.init(octets: address.octets, kind: address.isRandom ? .random : .public)
    }
}

extension BlueZClient {
    /// Who makes channels for this bluetoothd.
    func channelKernel() -> any ChannelKernel {
        objects.properties(SimulatedKernel1.path, SimulatedKernel1.interface) == nil
            ? BluetoothKernel(self) : SimulatedKernel(self)
    }

    /// The address of an adapter as the kernel takes it.
    func socketAddress(of adapter: ObjectPath) -> SocketAddress? {
        guard let properties = objects.properties(adapter, Adapter1.interface),
            let facts = Adapter1(properties).facts(named: adapter.name)
        else { return nil }
        let kind: DeviceAddress.Kind = facts.isRandomAddress ? .random : .public
        return DeviceAddress(facts.address, kind: kind)?.socketAddress
    }
}
