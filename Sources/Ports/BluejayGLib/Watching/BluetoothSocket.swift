internal import CBluejay

/// Why the kernel refused a call on a socket: the number of errno.
package struct SocketError: Error, Hashable, Swift.Sendable {
    package let number: Int32

    package init(_ number: Int32) {
        self.number = number
    }

    // The same on all machines that Swift runs on.
    package static let permission = SocketError(1)
    package static let tryAgain = SocketError(11)
    package static let noMemory = SocketError(12)
    package static let noAccess = SocketError(13)
    package static let invalid = SocketError(22)
    package static let tooManyFilesInSystem = SocketError(23)
    package static let tooManyFiles = SocketError(24)
    package static let brokenPipe = SocketError(32)
    package static let tooLong = SocketError(90)
    package static let noSuchProtocol = SocketError(93)
    package static let noSuchFamily = SocketError(97)
    package static let inUse = SocketError(98)
    package static let aborted = SocketError(103)
    package static let reset = SocketError(104)
    package static let noBuffers = SocketError(105)
    package static let notConnected = SocketError(107)
    package static let timedOut = SocketError(110)
    package static let refused = SocketError(111)
    package static let hostDown = SocketError(112)
    package static let unreachable = SocketError(113)
    package static let inProgress = SocketError(115)

    /// Whether the process or the system lacks descriptors or memory, which may pass.
    package var isShortage: Bool {
        [.tooManyFilesInSystem, .tooManyFiles, .noMemory, .noBuffers].contains(self)
    }
}

/// The address of one end of a channel, as the kernel takes it.
package struct L2CAPSocketAddress: Equatable {
    /// Six, in printed order.
    package var octets: [UInt8]
    package var isRandom: Bool

    package init(octets: [UInt8], isRandom: Bool) {
        self.octets = octets
        self.isRandom = isRandom
    }

    fileprivate var kind: Int32 {
        Int32((isRandom ? BLUEJAY_LE_RANDOM : BLUEJAY_LE_PUBLIC).rawValue)
    }
}

/// A socket of an L2CAP channel of Bluetooth Low Energy, or one that listens for them.
///
/// It keeps the borders of packets, and nothing blocks. `close` closes it, or its last owner.
package final class BluetoothSocket {
    private var descriptor: Int32

    /// A socket of the kernel; `noSuchFamily` where it has no Bluetooth.
    package convenience init() throws(SocketError) {
        self.init(owning: try Self.checked(bluejay_channel_socket()))
    }

    /// One that shares what a descriptor of somebody else stands for.
    package convenience init(sharing descriptor: Int32) throws(SocketError) {
        self.init(owning: try Self.checked(bluejay_packet_duplicate(descriptor)))
    }

    private init(owning descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close()
    }

    /// Closes it at once; later calls do nothing.
    package func close() {
        guard descriptor >= 0 else { return }
        bluejay_packet_close(descriptor)
        descriptor = -1
    }

    // MARK: Making

    /// Names the own end; a number of 0 is chosen when it listens.
    package func bind(_ address: L2CAPSocketAddress, psm: UInt16 = 0) throws(SocketError) {
        try Self.checked(
            unsafe bluejay_channel_bind(descriptor, address.octets, address.kind, psm)
        )
    }

    /// Begins to connect: the socket is writable when it has ended, and `outcome` tells how.
    package func connect(to address: L2CAPSocketAddress, psm: UInt16) throws(SocketError) {
        do {
            try Self.checked(
                unsafe bluejay_channel_connect(descriptor, address.octets, address.kind, psm)
            )
        } catch .inProgress {
        }
    }

    /// Fails with the error of a connect that has ended.
    package func checkOutcome() throws(SocketError) {
        try Self.checked(bluejay_channel_error(descriptor))
    }

    /// Takes connections from now on, as many as `backlog` before they are accepted.
    package func listen(backlog: Int) throws(SocketError) {
        try Self.checked(bluejay_channel_listen(descriptor, Int32(backlog)))
    }

    /// The next connection with the address of the other end; nil while there is none.
    package func accept() throws(SocketError) -> (BluetoothSocket, L2CAPSocketAddress)? {
        var octets = [UInt8](repeating: 0, count: 6)
        var kind: Int32 = 0
        let accepted = unsafe bluejay_channel_accept(descriptor, &octets, &kind)
        if accepted == -SocketError.tryAgain.number { return nil }
        let socket = BluetoothSocket(owning: try Self.checked(accepted))
        let isRandom = kind == Int32(BLUEJAY_LE_RANDOM.rawValue)
        return (socket, L2CAPSocketAddress(octets: octets, isRandom: isRandom))
    }

    // MARK: Options

    /// The number that a bound socket has.
    package var psm: UInt16 {
        get throws(SocketError) { UInt16(try Self.checked(bluejay_channel_psm(descriptor))) }
    }

    /// 1 to 4; before it connects or listens.
    package func setSecurity(_ level: Int) throws(SocketError) {
        try Self.checked(bluejay_channel_set_security(descriptor, Int32(level)))
    }

    /// The longest packet that may come; when it is bound, before it connects or listens.
    package func setReceiveMTU(_ mtu: UInt16) throws(SocketError) {
        try Self.checked(bluejay_channel_set_receive_mtu(descriptor, mtu))
    }

    /// The longest packet that may be sent; when it is connected.
    package var sendMTU: Int {
        get throws(SocketError) { Int(try Self.checked(bluejay_channel_send_mtu(descriptor))) }
    }

    // MARK: Packets

    /// Sends one packet; `tryAgain` when nothing more is taken at present.
    package func send(_ packet: [UInt8]) throws(SocketError) {
        try Self.checked(unsafe bluejay_packet_send(descriptor, packet, packet.count))
    }

    /// The result of a read.
    package enum Reception: Equatable {
        /// One packet, which may be empty.
        case packet([UInt8])
        /// No packet has arrived.
        case nothing
        /// The other end has closed, and all of its packets have been received.
        case closed
    }

    /// Receives the next packet, cut to `limit` bytes.
    package func receive(atMost limit: Int) throws(SocketError) -> Reception {
        var count: Int32 = 0
        let packet = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, filled in
            unsafe count = bluejay_packet_receive(descriptor, buffer.baseAddress, limit)
            filled = max(0, Int(count))
        }
        if count == -SocketError.tryAgain.number { return .nothing }
        try Self.checked(count)
        if packet.isEmpty, bluejay_packet_is_over(descriptor) != 0 { return .closed }
        return .packet(packet)
    }

    /// Calls `ready` on the context while a condition holds, until the watch is cancelled.
    package func watch(
        _ condition: IOCondition,
        on context: MainContext,
        ready: @escaping (IOCondition) -> Void
    ) -> FileDescriptorSource {
        FileDescriptorSource(descriptor, condition, on: context, ready: ready)
    }

    @discardableResult
    private static func checked(_ result: Int32) throws(SocketError) -> Int32 {
        if result < 0 { throw SocketError(-result) }
        return result
    }
}
