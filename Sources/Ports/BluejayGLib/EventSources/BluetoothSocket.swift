internal import CBluejay

/// The `errno` of a failed call on a socket.
package struct SocketError: Error, Hashable, Swift.Sendable {
    package let number: Int32

    package init(_ number: Int32) {
        self.number = number
    }

    // The numbers are the same on all machines that Swift supports.
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

/// The address of one end of a channel, in the kernel's form.
package struct L2CAPSocketAddress: Equatable {
    /// The six bytes, in printed order.
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

/// An L2CAP socket of Bluetooth Low Energy, for a channel or a listener.
///
/// The socket preserves packet boundaries and never blocks. `close` or its deallocation closes it.
package final class BluetoothSocket {
    private var descriptor: Int32
    private lazy var capacity = bluejay_packet_capacity(descriptor)

    /// Creates a kernel socket; fails with `noSuchFamily` if the kernel has no Bluetooth.
    package convenience init() throws(SocketError) {
        self.init(owning: try Self.checked(bluejay_channel_socket()))
    }

    /// Creates a socket that shares the open file of another descriptor.
    package convenience init(sharing descriptor: Int32) throws(SocketError) {
        self.init(owning: try Self.checked(bluejay_packet_duplicate(descriptor)))
    }

    private init(owning descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close()
    }

    /// Closes the socket at once; later calls do nothing.
    package func close() {
        guard descriptor >= 0 else { return }
        bluejay_packet_close(descriptor)
        descriptor = -1
    }

    // MARK: Creating

    /// Sets the local address; with a PSM of 0, `listen` chooses one.
    package func bind(_ address: L2CAPSocketAddress, psm: UInt16 = 0) throws(SocketError) {
        try Self.checked(
            unsafe bluejay_channel_bind(descriptor, address.octets, address.kind, psm)
        )
    }

    /// Starts connecting: when the socket is writable, `checkOutcome` gives the result.
    package func connect(to address: L2CAPSocketAddress, psm: UInt16) throws(SocketError) {
        do {
            try Self.checked(
                unsafe bluejay_channel_connect(descriptor, address.octets, address.kind, psm)
            )
        } catch .inProgress {
        }
    }

    package func checkOutcome() throws(SocketError) {
        try Self.checked(bluejay_channel_error(descriptor))
    }

    /// Starts listening; up to `backlog` connections wait to be accepted.
    package func listen(backlog: Int) throws(SocketError) {
        try Self.checked(bluejay_channel_listen(descriptor, Int32(backlog)))
    }

    /// Accepts the next connection, with the address of its other end; nil if none waits.
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

    package var psm: UInt16 {
        get throws(SocketError) { UInt16(try Self.checked(bluejay_channel_psm(descriptor))) }
    }

    /// Sets the security level, 1 to 4, before the socket connects or listens.
    package func setSecurity(_ level: Int) throws(SocketError) {
        try Self.checked(bluejay_channel_set_security(descriptor, Int32(level)))
    }

    /// Sets the longest packet to receive, after `bind` and before the socket connects or listens.
    package func setReceiveMTU(_ mtu: UInt16) throws(SocketError) {
        try Self.checked(bluejay_channel_set_receive_mtu(descriptor, mtu))
    }

    /// The longest packet to send, for a connected socket.
    package var sendMTU: Int {
        get throws(SocketError) { Int(try Self.checked(bluejay_channel_send_mtu(descriptor))) }
    }

    // MARK: Packets

    /// Sends one packet; fails with `tryAgain` while the kernel accepts none.
    package func send(_ packet: [UInt8]) throws(SocketError) {
        try Self.checked(unsafe bluejay_packet_send(descriptor, packet, packet.count))
    }

    /// The memory that the kernel's unsent packets occupy, which exceeds their length; `nil` once the other end
    /// has closed.
    ///
    /// A Bluetooth socket has sent a packet when the controller has it. The kernel discards the unsent packets
    /// of a closed channel.
    package var unsentMemory: Int? {
        let memory = bluejay_packet_unsent(descriptor, capacity)
        return memory < 0 ? nil : Int(memory)
    }

    package enum ReceiveResult: Equatable {
        /// One packet, which may be empty.
        case packet([UInt8])
        case wouldBlock
        /// The other end has closed, and all of its packets have been received.
        case closed
    }

    /// Receives the next packet, truncated to `maximumLength` bytes.
    package func receive(atMost maximumLength: Int) throws(SocketError) -> ReceiveResult {
        var count: Int32 = 0
        // Callers keep the packet; an array made in place would keep `maximumLength` bytes.
        let packet = unsafe withUnsafeTemporaryAllocation(byteCount: maximumLength, alignment: 1) {
            buffer in
            unsafe count = bluejay_packet_receive(descriptor, buffer.baseAddress, maximumLength)
            return unsafe [UInt8](buffer[..<max(0, Int(count))])
        }
        if count == -SocketError.tryAgain.number { return .wouldBlock }
        try Self.checked(count)
        if packet.isEmpty, bluejay_packet_is_over(descriptor) != 0 { return .closed }
        return .packet(packet)
    }

    /// Calls `handler` on the context while a condition holds, until the watch is cancelled.
    package func watch(
        _ condition: IOCondition,
        on context: MainContext,
        handler: @escaping (IOCondition) -> Void
    ) -> FileDescriptorSource {
        FileDescriptorSource(descriptor, condition, on: context, handler: handler)
    }

    @discardableResult
    private static func checked(_ result: Int32) throws(SocketError) -> Int32 {
        if result < 0 { throw SocketError(-result) }
        return result
    }
}
