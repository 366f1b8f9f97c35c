internal import BluejayDBus

/// `org.bluejay.SimulatedKernel1`: channels where the kernel has no Bluetooth.
///
/// Only the simulated BlueZ has this object; the real bluetoothd has nothing to do with channels. An error
/// named `org.bluejay.Error.Kernel` has the number of errno as its text.
enum SimulatedKernel1 {
    static let interface = "org.bluejay.SimulatedKernel1"
    static let path: ObjectPath = "/org/bluejay/kernel"
    static let error = "org.bluejay.Error.Kernel"

    /// Connects over a link that is up.
    ///
    /// - Parameters:
    ///   - adapter: The address of the own adapter.
    ///   - peer: The address of the other end, and `public` or `random`.
    ///   - psm: Where the peer listens.
    ///   - options: The longest packet that is taken, and the security, 1 to 4.
    /// - Returns: Answers with a socket and the longest packet that the peer takes.
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

    /// Listens on a number, or on one that is chosen; answers with it.
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

    /// Takes the next channel that came: a socket, the address of the peer and its kind, and the longest
    /// packet that it takes.
    static func accept(at adapter: String, psm: UInt16) -> MethodCall {
        call("Accept", [.string(adapter), .uint16(psm)])
    }

    /// Ends listening.
    static func close(at adapter: String, psm: UInt16) -> MethodCall {
        call("Close", [.string(adapter), .uint16(psm)])
    }

    /// A channel came for who listens: the address of the adapter and the number.
    static let incoming = MatchRule(
        sender: BlueZ.service,
        interface: interface,
        member: "Incoming",
        path: path
    )

    private static func call(_ member: String, _ arguments: [BusValue]) -> MethodCall {
        MethodCall(BlueZ.service, path, interface, member, arguments)
    }
}
