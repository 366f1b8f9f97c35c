import BluejayL2CAP
import Foundation
import MeshPeer

/// Sends files to peers and receives theirs, each through a channel.
@MainActor
final class FileExchange {
    private static let timeLimit = Duration.seconds(120)
    private static let maximumIncoming = 4
    private static let partLength = 4096
    private static let openAttempts = 5

    private let channels: BLEL2CAPManager
    private let folder: URL?
    private let peer: (UUID) -> Peer
    private let show: (NodeEvent) -> Void
    private var lastNumber = 0
    private var incomingCount = 0

    /// Creates an exchange.
    ///
    /// - Parameters:
    ///   - channels: The channels of the node.
    ///   - folder: The place for received files; `nil` discards them.
    ///   - peer: Returns what is known about a peer.
    ///   - show: Receives the events of transfers.
    init(
        _ channels: BLEL2CAPManager,
        savingTo folder: URL?,
        peer: @escaping (UUID) -> Peer,
        show: @escaping (NodeEvent) -> Void
    ) {
        self.channels = channels
        self.folder = folder
        self.peer = peer
        self.show = show
    }

    /// Sends a file.
    ///
    /// - Returns: Whether the peer has confirmed that the file is complete.
    func send(_ file: SentFile, to id: UUID) async -> Bool {
        var transfer = newTransfer(.to, id)
        transfer.file = file.name
        transfer.total = file.bytes.count
        do {
            let channel = try await open(id)
            let limit = timeLimit(of: channel)
            defer { limit.cancel() }
            defer { channels.closeChannel(channel) }
            try await write(file, to: channel, &transfer)
            var answer = Data()
            for await packet in channel.received where !packet.isEmpty {
                answer = packet
                break
            }
            guard !answer.isEmpty else { throw SentFile.Failure.incomplete }
            guard answer == SentFile.accepted else { throw SentFile.Failure.refused }
            show(.transferred(transfer, checksum: file.checksum, path: nil))
            return true
        } catch {
            show(.notTransferred(transfer, reason: "\(error)"))
            return false
        }
    }

    /// Receives files until the channels of the node end.
    func receiveAll() async {
        for await channel in channels.incomingChannels {
            guard incomingCount < Self.maximumIncoming else {
                channels.closeChannel(channel)
                continue
            }
            incomingCount += 1
            Task {
                await receive(from: channel)
                incomingCount -= 1
            }
        }
    }

    // The peer may be a peer before its channel is published.
    private func open(_ id: UUID) async throws -> L2CAPChannel {
        for _ in 1..<Self.openAttempts {
            if let channel = try? await channels.openChannel(to: id) { return channel }
            try await Task.sleep(for: .seconds(1))
        }
        return try await channels.openChannel(to: id)
    }

    private func write(_ file: SentFile, to channel: L2CAPChannel, _ transfer: inout Transfer)
        async throws
    {
        var rest = file.stream
        let headerLength = rest.count - file.bytes.count
        let length = rest.count
        show(.progress(transfer))
        while !rest.isEmpty {
            let part = rest.prefix(Self.partLength)
            try await channels.sendData(Data(part), on: channel)
            rest = rest.dropFirst(part.count)
            transfer.transferredCount = max(length - rest.count - headerLength, 0)
            show(.progress(transfer))
        }
    }

    private func receive(from channel: L2CAPChannel) async {
        var transfer = newTransfer(.from, channel.peer.uuid)
        var receiver = SentFile.Receiver()
        let limit = timeLimit(of: channel)
        defer { limit.cancel() }
        defer { channels.closeChannel(channel) }
        do {
            for await part in channel.received {
                let file = try receiver.receive(part)
                transfer.file = receiver.name
                (transfer.transferredCount, transfer.total) = receiver.progress
                if transfer.total > 0 { show(.progress(transfer)) }
                guard let file else { continue }
                let path = try save(file)
                show(.transferred(transfer, checksum: file.checksum, path: path))
                try? await channels.sendData(SentFile.accepted, on: channel)
                // The sender closes the channel once it has the answer.
                for await _ in channel.received {}
                return
            }
            throw SentFile.Failure.incomplete
        } catch {
            show(.notTransferred(transfer, reason: "\(error)"))
            try? await channels.sendData(SentFile.rejected, on: channel)
        }
    }

    /// Writes a file under a name that is free.
    ///
    /// - Returns: The path; `nil` if files are discarded.
    private func save(_ file: SentFile) throws -> String? {
        guard let folder else { return nil }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let name = SentFile.safeName(file.name)
        for number in 1..<100 {
            let place = folder.appending(path: number == 1 ? name : "\(number) \(name)")
            do {
                try file.bytes.write(to: place, options: .withoutOverwriting)
                return place.path
            } catch CocoaError.fileWriteFileExists {
                continue
            }
        }
        throw CocoaError(.fileWriteFileExists)
    }

    private func newTransfer(_ direction: Transfer.Direction, _ id: UUID) -> Transfer {
        lastNumber += 1
        return Transfer(number: lastNumber, direction: direction, peer: peer(id), file: "a file")
    }

    private func timeLimit(of channel: L2CAPChannel) -> Task<Void, any Error> {
        Task { [channels] in
            try await Task.sleep(for: Self.timeLimit)
            channels.closeChannel(channel)
        }
    }
}
