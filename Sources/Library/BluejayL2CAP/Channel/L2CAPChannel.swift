internal import BluejayBlueZ
public import BluejayCore
internal import BluejayGLib
public import FoundationEssentials

/// An L2CAP channel of Bluetooth Low Energy: packets both ways, at the pace of whoever takes them.
///
/// A packet is what the specification calls an SDU: at most ``maximumSDU`` bytes to the peer, and at most
/// ``maximumReceivedSDU`` from it. Linux keeps their borders; other systems may join them, so that what has
/// borders of its own should carry them. A channel keeps the link to its peer in use, as a connection of
/// `Bluejay` does: it brings the link up, the last of both to end cuts it, and it ends with the link.
///
/// Any thread may call it: elsewhere than on the loop of ``host`` a call is posted to that, in the order of the
/// thread's calls. Callbacks come on the loop. Each completion is called exactly once, and never before its call
/// has returned. One that is released is closed.
///
/// ```swift
/// let channel = L2CAPChannel(to: sensor, psm: 0x80)
/// try await channel.open()
/// try await channel.send(Data("log".utf8))
/// for await packet in channel.received { print(packet.count) }
/// ```
public final class L2CAPChannel: @unchecked Swift.Sendable {
    // The core is confined to the main loop, and every call from elsewhere is posted to it; its snapshot and its
    // properties are safe by themselves: that is the invariant behind `@unchecked`.

    /// The completion of a call: success, or a ``BluejayError``.
    public typealias Completion = (Result<Void, any Error>) -> Void

    /// The longest packet that peers are told they may send.
    public static let maximumReceivedSDU = Int(ChannelLimits.receiveMTU)

    /// Where Bluetooth is.
    public let host: BluetoothHost
    let core: ChannelCore

    /// Makes a channel; Bluetooth is not touched before it is opened.
    ///
    /// - Parameters:
    ///   - peer: Known, or on the air.
    ///   - psm: The number on which the peer listens, 1 to 0x00FF. It is not advertised: peers say it in a
    ///     characteristic, or it is agreed on.
    ///   - security: What the link has to be.
    ///   - host: Where Bluetooth is.
    public init(
        to peer: PeripheralIdentifier,
        psm: UInt16,
        security: L2CAPSecurity = .low,
        host: BluetoothHost = BluetoothHost()
    ) {
        self.host = host
        core = ChannelCore(peer, psm, security, host)
    }

    init(_ core: ChannelCore, _ host: BluetoothHost) {
        self.core = core
        self.host = host
    }

    deinit {
        // The last reference may be let go on any thread.
        if host.mainLoop.isCurrent { return core.shutDown() }
        host.mainLoop.post { [core] in core.shutDown() }
    }

    /// The other end.
    public var peer: PeripheralIdentifier { core.peer }

    /// The number on which the other end listens, or on which we did.
    public var psm: UInt16 { core.psm }

    /// The longest packet that the peer takes, its MTU; 0 before the channel is open.
    public var maximumSDU: Int { core.shown.value.maximumSDU }

    /// Whether packets can be sent.
    public var isOpen: Bool { core.shown.value.isOpen }

    /// Why it has ended; nil before that, and when it was never open.
    public var end: L2CAPChannelEnd? { core.shown.value.end }

    // MARK: Opening and closing

    /// Connects to the peer, if that is not so already, and opens the channel; once.
    ///
    /// - Parameters:
    ///   - timeout: For all of it. Without one an absent peer takes as long as BlueZ does, 41 s.
    ///   - completion: Fails with ``BluejayError/invalidPSM(_:)``,
    ///     ``BluejayError/bluetoothUnavailable(_:)``, ``BluejayError/connectionTimedOut``,
    ///     ``BluejayError/connectionFailed(_:)``, ``BluejayError/channelRefused`` when nobody listens,
    ///     ``BluejayError/notPaired`` when the link could not be made as secure as one end wants it,
    ///     ``BluejayError/cancelled`` when it was closed meanwhile, or ``BluejayError/notSupported(_:)``
    ///     where the kernel has no Bluetooth.
    public func open(timeout: Timeout = .seconds(30), completion: @escaping Completion) {
        make { $0.open(within: timeout.duration, completion) }
    }

    /// Ends the channel, or takes its opening back; a second call does nothing.
    ///
    /// What waits to be sent fails with ``BluejayError/channelClosed``, and what came and was not taken is
    /// gone. What the kernel has taken may not have reached the peer: agree on the end by a packet.
    ///
    /// - Parameter completion: Called when its link is down, or others use it.
    public func close(completion: @escaping () -> Void = {}) {
        make { $0.close(completion) }
    }

    /// Called once when a channel that was open has ended, behind the packets that had come.
    public var onEnd: ((L2CAPChannelEnd) -> Void)? {
        get { core.onEnd.latest }
        set { core.onEnd.set(newValue, on: host.mainLoop) }
    }

    // MARK: Packets

    /// Sends a packet, behind those that were given before.
    ///
    /// While the peer takes nothing it waits, with at most 256 KiB of others. Of an empty one nothing is
    /// sent.
    ///
    /// - Parameters:
    ///   - data: At most ``maximumSDU`` bytes.
    ///   - completion: Called when the kernel has taken it. Fails with
    ///     ``BluejayError/valueTooLong(length:limit:)``, ``BluejayError/channelFull(limit:)`` when too much
    ///     waits, ``BluejayError/channelClosed``, or with why the channel ended.
    public func send(_ data: Data, completion: @escaping Completion = { _ in }) {
        make { $0.send(data, completion) }
    }

    /// Called with each packet in its order, and first with those that came before it was set.
    ///
    /// While it is nil packets wait, with the ``received`` of a task for who takes them: at most 256 KiB, and
    /// then the peer has to wait.
    public var onReceive: ((Data) -> Void)? {
        get { core.onReceive.latest }
        set {
            core.onReceive.set(newValue, on: host.mainLoop) { [core] in
                if $0 != nil { core.deliverLater() }
            }
        }
    }

    private func make(_ call: @escaping (ChannelCore) -> Void) {
        host.mainLoop.make { [core] in call(core) }
    }
}
