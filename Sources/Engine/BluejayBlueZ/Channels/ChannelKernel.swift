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
struct ChannelParameters {
    /// Of the adapter.
    var own: L2CAPSocketAddress
    var psm: UInt16
    /// 1 to 4.
    var security: Int
}

/// Who makes channels: the kernel, or the simulated BlueZ where there is no Bluetooth.
protocol ChannelKernel: AnyObject {
    /// Connects over a link that is up; `done` is called once, in a later turn, unless it is cancelled.
    func connect(
        _ wish: ChannelParameters,
        to peer: L2CAPSocketAddress,
        done: @escaping (Result<ConnectedSocket, ChannelFailure>) -> Void
    ) -> PendingChannelCall

    /// Listens; `done` is called once, in a later turn, unless it is cancelled.
    func listen(
        _ wish: ChannelParameters,
        done: @escaping (Result<any ChannelServerSocket, ChannelFailure>) -> Void
    ) -> PendingChannelCall
}

/// Something under way; it ends without a word when it is released.
class PendingChannelCall {
    init() {}
}

/// Where channels of peers come in, until it is released.
protocol ChannelServerSocket: AnyObject {
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
    package var socketAddress: L2CAPSocketAddress {
        L2CAPSocketAddress(octets: octets, isRandom: kind == .random)
    }

    package init?(_ address: L2CAPSocketAddress) {
        self.init(octets: address.octets, kind: address.isRandom ? .random : .public)
    }
}

extension BlueZClient {
    /// Who makes channels for this bluetoothd.
    func channelKernel() -> any ChannelKernel {
        objects.properties(SimulatedKernel1.path, SimulatedKernel1.interface) == nil
            ? KernelChannelProvider(self) : SimulatedChannelProvider(self)
    }

    /// The address of an adapter as the kernel takes it.
    func socketAddress(of adapter: ObjectPath) -> L2CAPSocketAddress? {
        guard let properties = objects.properties(adapter, Adapter1.interface),
            let facts = Adapter1(properties).facts(named: adapter.name)
        else { return nil }
        let kind: DeviceAddress.Kind = facts.isRandomAddress ? .random : .public
        return DeviceAddress(facts.address, kind: kind)?.socketAddress
    }
}
