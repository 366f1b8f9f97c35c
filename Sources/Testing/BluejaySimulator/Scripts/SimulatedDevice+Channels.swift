extension SimulatedDevice {
    /// The state of a device's channel, for tests.
    public struct Channel: Equatable, Swift.Sendable {
        /// The PSM of the channel.
        public var psm: UInt16
        /// The number of bytes received.
        public var received: Int
        /// The number of bytes sent.
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

    /// Starts listening for L2CAP channels; a `nil` script stops listening.
    ///
    /// - Parameters:
    ///   - psm: The PSM, 1 to 0x00FF.
    ///   - script: The behaviour of each channel.
    ///   - mtu: The longest packet it accepts, 23 to 65,535 bytes.
    ///   - isEncrypted: Whether the link must be encrypted, which requires pairing.
    public func serveChannels(
        on psm: UInt16,
        _ script: ScriptedChannel?,
        mtu: Int = 2048,
        isEncrypted: Bool = false
    ) {
        deviceChannels.servers[psm] = script.map {
            ChannelServerSettings(script: $0, mtu: mtu, isEncrypted: isEncrypted)
        }
    }

    /// Opens a channel to the connected central; returns false without a connection or a listener.
    @discardableResult
    public func openChannel(
        to psm: UInt16,
        _ script: ScriptedChannel,
        mtu: Int = 2048
    ) -> Bool {
        guard let link, let listener = (link.central as? Adapter)?.channelListeners[psm],
            link.devices.first?.satisfies(security: listener.security)
                ?? (listener.security < 2)
        else { return false }
        let end = makeChannelEndpoint(psm, script)
        guard listener.enqueue(end, mtu: mtu, over: link) else {
            end.close()
            return false
        }
        return true
    }

    /// The last 10,000 channels, in the order in which they were opened.
    public var channels: [Channel] {
        deviceChannels.history.last.map {
            Channel(psm: $0.psm, received: $0.received, sent: $0.sent, isOpen: $0.isOpen)
        }
    }

    func makeChannelEndpoint(_ psm: UInt16, _ script: ScriptedChannel) -> ScriptedChannelEndpoint {
        let record = ChannelRecord(psm)
        deviceChannels.history.append(record)
        return ScriptedChannelEndpoint(script, of: self, record)
    }
}

final class DeviceChannels {
    var servers: [UInt16: ChannelServerSettings] = [:]
    var history = BoundedHistory<SimulatedDevice.ChannelRecord>()
}

struct ChannelServerSettings {
    var script: ScriptedChannel
    var mtu: Int
    var isEncrypted: Bool
}
