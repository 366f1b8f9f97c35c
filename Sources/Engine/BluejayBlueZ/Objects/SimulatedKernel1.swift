internal import BluejayDBus

/// `org.bluejay.SimulatedKernel1`: L2CAP channels without Bluetooth in the kernel.
///
/// Only the simulated BlueZ exports this object; the real bluetoothd does not handle channels. The text
/// of an error named `org.bluejay.Error.Kernel` is the number of `errno`.
enum SimulatedKernel1 {
    static let interface = "org.bluejay.SimulatedKernel1"
    static let path: ObjectPath = "/org/bluejay/kernel"
    static let error = "org.bluejay.Error.Kernel"

    /// Opens a channel over an existing link.
    ///
    /// - Parameters:
    ///   - adapter: The address of the local adapter.
    ///   - peer: The address of the peer, and `public` or `random`.
    ///   - psm: The PSM on which the peer listens.
    ///   - options: The longest packet to receive, and the security level, 1 to 4.
    /// - Returns: The call; its reply contains a socket and the longest packet that the peer accepts.
    static func connect(
        from adapter: String,
        to peer: (address: String, type: String),
        psm: UInt16,
        options: (mtu: UInt16, security: UInt8)
    ) -> MethodCall {
        call(
            "Connect",
            [
                .string(adapter), .string(peer.address), .string(peer.type), .uint16(psm),
                .uint16(options.mtu), .byte(options.security),
            ]
        )
    }

    /// Listens on a PSM, or on one that the kernel chooses; the reply contains the PSM.
    static func listen(
        at adapter: String,
        psm: UInt16,
        options: (mtu: UInt16, security: UInt8)
    ) -> MethodCall {
        call(
            "Listen",
            [.string(adapter), .uint16(psm), .uint16(options.mtu), .byte(options.security)]
        )
    }

    /// Accepts the next incoming channel.
    ///
    /// The reply contains a socket, the peer's address and address type, and the longest packet that the
    /// peer accepts.
    static func accept(at adapter: String, psm: UInt16) -> MethodCall {
        call("Accept", [.string(adapter), .uint16(psm)])
    }

    static func close(at adapter: String, psm: UInt16) -> MethodCall {
        call("Close", [.string(adapter), .uint16(psm)])
    }

    /// A channel arrived for a listener; the signal contains the adapter's address and the PSM.
    static let incoming = MatchRule(
        sender: BlueZ.service,
        interface: interface,
        member: "Incoming",
        path: path
    )

    private static func call(_ member: String, _ arguments: [BusValue]) -> MethodCall {
        MethodCall(to: BlueZ.service, at: path, interface, member, arguments)
    }
}
