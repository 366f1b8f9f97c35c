internal import BluejayGLib
internal import DequeModule

/// The socket of a channel, with its received and unsent packets.
final class ChannelSocket {
    enum Reading {
        case nothing
        case closed
        case packet(Int)
        /// A packet that is not stored, after `discardPackets`.
        case discarded
        case failed(ChannelCloseReason)
    }

    private(set) var sendMTU = 0
    private(set) var discardsPackets = false
    private var socket: BluetoothSocket?
    private var source: FileDescriptorSource?
    private var packets: Deque<[UInt8]> = []
    private var sends: [ChannelStateMachine.SendID: PendingSend] = [:]
    private var lastSend = 0

    private struct PendingSend {
        let packet: [UInt8]
        let completion: Channel.SendCompletion
    }

    // MARK: The socket

    /// Takes ownership of a connected socket; `ready` is called for the conditions set by `watch`.
    func attach(
        _ connected: ConnectedSocket,
        on context: MainContext,
        ready: @escaping (IOCondition) -> Void
    ) {
        socket = connected.socket
        sendMTU = connected.sendMTU
        source = connected.socket.watch([], on: context, handler: ready)
    }

    func watch(reading: Bool, writing: Bool) {
        source?.watch(for: (reading ? IOCondition.readable : []).union(writing ? .writable : []))
    }

    func close() {
        source?.cancel()
        source = nil
        socket?.close()
        socket = nil
    }

    // MARK: Receiving

    /// Reads one packet and stores it; nil without an open socket.
    func read() -> Reading? {
        guard let socket else { return nil }
        do throws(SocketError) {
            switch try socket.receive(atMost: Int(ChannelLimits.receiveMTU)) {
            case .wouldBlock: return .nothing
            case .closed: return .closed
            case .packet(let packet):
                guard !discardsPackets else { return .discarded }
                packets.append(packet)
                return .packet(packet.count)
            }
        } catch {
            return .failed(ChannelCloseReason(error))
        }
    }

    func popPacket() -> [UInt8]? { packets.popFirst() }

    /// Stores no further packets.
    func discardPackets() { discardsPackets = true }

    // MARK: Sending

    /// The memory of the packets that the kernel has not sent; nil once the other end has closed.
    var unsentMemory: Int? { socket?.unsentMemory }

    /// Stores a packet until `endSend`.
    func add(_ packet: [UInt8], _ completion: @escaping Channel.SendCompletion)
        -> ChannelStateMachine.SendID
    {
        lastSend += 1
        sends[lastSend] = PendingSend(packet: packet, completion: completion)
        return lastSend
    }

    /// Writes a stored packet; nil without an open socket.
    func write(
        _ id: ChannelStateMachine.SendID
    ) -> (outcome: ChannelStateMachine.WriteOutcome, memory: KernelBacklog.Memory?)? {
        guard let socket, let packet = sends[id]?.packet else { return nil }
        do throws(SocketError) {
            let before = socket.unsentMemory
            // Linux ignores an empty packet.
            if !packet.isEmpty { try socket.send(packet) }
            guard let before, let after = socket.unsentMemory else { return (.written, nil) }
            return (.written, KernelBacklog.Memory(before: before, after: after))
        } catch .tryAgain {
            return (.wouldBlock, nil)
        } catch .noBuffers {
            return (.wouldBlock, nil)
        } catch .brokenPipe, .reset, .notConnected {
            return (.closed, nil)
        } catch {
            return (.failed(ChannelCloseReason(error)), nil)
        }
    }

    func endSend(_ id: ChannelStateMachine.SendID) -> Channel.SendCompletion? {
        sends.removeValue(forKey: id)?.completion
    }
}
