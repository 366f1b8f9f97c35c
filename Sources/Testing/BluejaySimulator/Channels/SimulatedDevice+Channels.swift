extension SimulatedDevice {
    /// A channel of a device, as a test looks at it.
    public struct Channel: Equatable, Swift.Sendable {
        /// The number.
        public var psm: UInt16
        /// How many bytes came.
        public var received: Int
        /// How many bytes were sent.
        public var sent: Int
        /// Whether it is open.
        public var isOpen: Bool
    }

    final class ChannelRecord {
        let psm: UInt16
        var received = 0
        var sent = 0
        var isOpen = true

        init(_ psm: UInt16) {
            self.psm = psm
        }
    }

    /// Listens for L2CAP channels from now on; nil refuses them again.
    ///
    /// - Parameters:
    ///   - psm: 1 to 0x00FF.
    ///   - script: What is done with each.
    ///   - mtu: The longest packet that it takes, 23 to 65,535.
    ///   - isEncrypted: Whether the link has to be encrypted, which is a matter of pairing.
    public func serveChannels(
        on psm: UInt16,
        _ script: ScriptedChannel?,
        mtu: Int = 2048,
        isEncrypted: Bool = false
    ) {
        channelBook.servers[psm] = script.map {
            ChannelServerSettings(script: $0, mtu: mtu, isEncrypted: isEncrypted)
        }
    }

    /// Opens a channel to the central that is connected; false when nobody listens, or is connected.
    @discardableResult
    public func openChannel(
        to psm: UInt16,
        _ script: ScriptedChannel,
        mtu: Int = 2048
    ) -> Bool {
        guard let link, let listener = (link.central as? Adapter)?.channelListeners[psm],
            listener.security < 2 || link.devices.first?.isPaired == true
        else { return false }
        let end = newChannelEnd(psm, script)
        guard listener.offer(end, mtu: mtu, over: link) else {
            end.close()
            return false
        }
        return true
    }

    /// Its channels, in the order in which they were opened; the last 10,000.
    public var channels: [Channel] {
        channelBook.history.last.map {
            Channel(psm: $0.psm, received: $0.received, sent: $0.sent, isOpen: $0.isOpen)
        }
    }

    func newChannelEnd(_ psm: UInt16, _ script: ScriptedChannel) -> ScriptedChannelEndpoint {
        let record = ChannelRecord(psm)
        channelBook.history.append(record)
        return ScriptedChannelEndpoint(script, of: self, record)
    }
}

/// Where a device listens for channels, and those that it had.
final class DeviceChannels {
    var servers: [UInt16: ChannelServerSettings] = [:]
    var history = BoundedHistory<SimulatedDevice.ChannelRecord>()
}

/// How a device listens for channels.
struct ChannelServerSettings {
    var script: ScriptedChannel
    var mtu: Int
    var isEncrypted: Bool
}
