package import BluejayCore
internal import BluejayDBus
package import BluejayGLib

struct ConnectedSocket {
    let socket: BluetoothSocket
    let sendMTU: Int
}

struct ChannelParameters {
    /// The address of the adapter.
    var localAddress: L2CAPSocketAddress
    var psm: UInt16
    /// The security level, 1 to 4.
    var security: Int
}

/// A source of channels: the kernel, or the simulated BlueZ on a machine without Bluetooth.
protocol ChannelProvider: AnyObject {
    /// Connects over a link that is up; `completion` is called once, on a later iteration.
    func connect(
        _ parameters: ChannelParameters,
        to peer: L2CAPSocketAddress,
        completion: @escaping (Result<ConnectedSocket, ChannelFailure>) -> Void
    ) -> PendingChannelCall

    /// Listens; `completion` is called once, on a later iteration.
    func listen(
        _ parameters: ChannelParameters,
        completion: @escaping (Result<any ChannelServerSocket, ChannelFailure>) -> Void
    ) -> PendingChannelCall
}

/// A pending call; its release cancels it without calling `completion`.
class PendingChannelCall {
    init() {}
}

/// A socket that accepts channels from peers until its release.
protocol ChannelServerSocket: AnyObject {
    var psm: UInt16 { get }
    var onIncoming: ((ConnectedSocket, DeviceAddress) -> Void)? { get set }
    /// Whether the socket accepts channels.
    ///
    /// While false, new channels wait in the kernel's queue or are refused.
    var isAccepting: Bool { get set }
    func close()
}

extension DeviceAddress {
    /// The address in the kernel's form.
    package var socketAddress: L2CAPSocketAddress {
        L2CAPSocketAddress(octets: octets, isRandom: kind == .random)
    }

    package init?(_ address: L2CAPSocketAddress) {
        self.init(octets: address.octets, kind: address.isRandom ? .random : .public)
    }
}

extension BlueZClient {
    func makeChannelProvider() -> any ChannelProvider {
        objects.properties(SimulatedKernel1.path, SimulatedKernel1.interface) == nil
            ? KernelChannelProvider(self) : SimulatedChannelProvider(self)
    }

    func socketAddress(of adapter: ObjectPath) -> L2CAPSocketAddress? {
        guard let properties = objects.properties(adapter, Adapter1.interface),
            let details = Adapter1(properties).adapter(named: adapter.name)
        else { return nil }
        let kind: DeviceAddress.Kind = details.isRandomAddress ? .random : .public
        return DeviceAddress(details.address, kind: kind)?.socketAddress
    }
}
