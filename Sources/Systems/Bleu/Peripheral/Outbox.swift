internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayGATTServer
internal import BluejayGLib
internal import DequeModule
internal import FoundationEssentials

/// Sends messages to one central, frame by frame and one message at a time on each characteristic.
///
/// Confined to the loop of the host.
final class Outbox {
    private struct Job {
        var frames: AnyIterator<Data>
        let characteristic: LocalCharacteristic
        let bytes: Int
        let mayBroadcast: () -> Bool
        let completion: (Bool) -> Void
    }

    private let server: GATTServer
    private var queues: [ObjectIdentifier: Deque<Job>] = [:]
    private var generation = 0
    var central: PeripheralIdentifier
    private(set) var bytes = 0
    private(set) var count = 0

    init(_ server: GATTServer, _ central: PeripheralIdentifier) {
        self.server = server
        self.central = central
    }

    /// Queues a message.
    ///
    /// - Parameters:
    ///   - frames: The notifications of the message.
    ///   - bytes: The length of the message.
    ///   - characteristic: Notifies the central.
    ///   - isOrdered: Whether the message waits for the earlier ones of all characteristics, as a sealed
    ///     message does.
    ///   - mayBroadcast: Returns whether all centrals may receive the message, if bluetoothd can notify this
    ///     one only together with the others.
    ///   - completion: Called once, unless the message is removed before.
    func send(
        _ frames: some Sequence<Data>,
        bytes: Int,
        on characteristic: LocalCharacteristic,
        isOrdered: Bool,
        mayBroadcast: @escaping () -> Bool,
        completion: @escaping (_ isSent: Bool) -> Void
    ) {
        let key = isOrdered ? ObjectIdentifier(self) : ObjectIdentifier(characteristic)
        let job = Job(
            frames: AnyIterator(frames.makeIterator()),
            characteristic: characteristic,
            bytes: bytes,
            mayBroadcast: mayBroadcast,
            completion: completion
        )
        self.bytes += bytes
        count += 1
        queues[key, default: []].append(job)
        if queues[key]?.count == 1 { proceed(key) }
    }

    func removeAll() {
        generation += 1
        queues = [:]
        bytes = 0
        count = 0
    }

    private func proceed(_ key: ObjectIdentifier) {
        guard let frame = queues[key]?[0].frames.next() else { return end(key, isSent: true) }
        guard let job = queues[key]?[0] else { return }
        let characteristic = job.characteristic
        let present = generation
        let completion: GATTServer.Completion = { [weak self] result in
            guard let self, generation == present else { return }
            if case .success = result { return proceed(key) }
            end(key, isSent: false)
        }
        guard characteristic.isSubscribed else {
            return completion(.failure(BluejayError.notSubscribed(central)))
        }
        guard server.addressing == .unicast else {
            return server.notify(frame, on: characteristic, completion: completion)
        }
        server.notify(frame, on: characteristic, to: central) { [server] result in
            guard case .failure(let error) = result,
                (error as? BluejayError)?.code == .notAddressable, job.mayBroadcast()
            else { return completion(result) }
            // BlueZ issue 1452: the socket of the central was closed by mistake.
            server.notify(frame, on: characteristic, completion: completion)
        }
    }

    private func end(_ key: ObjectIdentifier, isSent: Bool) {
        guard let job = queues[key]?.popFirst() else { return }
        bytes -= job.bytes
        count -= 1
        let isEmpty = queues[key]?.isEmpty ?? true
        if isEmpty { queues[key] = nil }
        job.completion(isSent)
        if !isEmpty { proceed(key) }
    }
}
