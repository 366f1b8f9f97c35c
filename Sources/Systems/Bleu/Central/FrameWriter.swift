internal import BluejayBlueZ
internal import BluejayCore
internal import DequeModule
internal import FoundationEssentials

/// Writes messages to the characteristics of one link, frame by frame, one message at a time.
///
/// Confined to the loop of the host.
final class FrameWriter {
    private struct Job {
        let call: UInt16
        let characteristic: RemoteCharacteristic
        var frames: IndexingIterator<FrameSequence>
        var next: Data?
        /// Whether the last frame is written with response, which reports errors of the link.
        ///
        /// If the characteristic does not allow commands, each frame is.
        let isConfirmed: Bool
        let onProgress: () -> Void
        let completion: (Result<Void, BlueZFailure>) -> Void
    }

    /// The most bytes of a frame: bluetoothd 5.66 rejects writes of 511 and 512 bytes.
    static let maximumFrameSize = 510

    private let lease: LinkLease
    private let timeout: Duration
    private var jobs: Deque<Job> = []
    private var isWriting = false
    init(_ lease: LinkLease, timeout: Duration) {
        self.lease = lease
        self.timeout = timeout
    }

    static func frameSize(_ lease: LinkLease, _ characteristic: RemoteCharacteristic) -> Int {
        min(ATTLimits.payload(mtu: lease.link.mtu(of: characteristic)), maximumFrameSize)
    }

    /// Queues a message.
    ///
    /// - Parameters:
    ///   - frames: The frames of the message.
    ///   - call: The number of the call, for `cancel`.
    ///   - characteristic: One of the link's.
    ///   - isConfirmed: Whether the last frame is written with response.
    ///   - onProgress: Called when a frame that had to wait is written.
    ///   - completion: Called once, unless the writer is released before or the message is cancelled.
    func write(
        _ frames: FrameSequence,
        of call: UInt16,
        to characteristic: RemoteCharacteristic,
        isConfirmed: Bool,
        onProgress: @escaping () -> Void,
        completion: @escaping (Result<Void, BlueZFailure>) -> Void
    ) {
        var iterator = frames.makeIterator()
        let first = iterator.next()
        jobs.append(
            Job(
                call: call,
                characteristic: characteristic,
                frames: iterator,
                next: first,
                isConfirmed: isConfirmed,
                onProgress: onProgress,
                completion: completion
            )
        )
        if !isWriting { proceed() }
    }

    /// Writes no further frames of a call.
    func cancel(_ call: UInt16) {
        // The present frame ends by itself.
        if isWriting, jobs.first?.call == call { jobs[0].next = nil }
        let isFirst = isWriting ? 1 : 0
        guard jobs.count > isFirst else { return }
        for index in jobs.indices.dropFirst(isFirst).reversed() where jobs[index].call == call {
            jobs.remove(at: index)
        }
    }

    private func proceed() {
        while let job = jobs.first {
            guard let frame = job.next else {
                jobs.removeFirst()
                job.completion(.success(()))
                continue
            }
            let next = jobs[0].frames.next()
            jobs[0].next = next
            let isConfirmed =
                next == nil && job.isConfirmed
                || !job.characteristic.properties.contains(.writeWithoutResponse)
            if !isConfirmed, lease.send(frame, to: job.characteristic) { continue }
            isWriting = true
            lease.write(job.characteristic, frame, withResponse: isConfirmed, within: timeout) {
                [weak self] in self?.written($0)
            }
            return
        }
    }

    private func written(_ result: Result<Void, BlueZFailure>) {
        isWriting = false
        if case .failure = result, !jobs.isEmpty {
            jobs.removeFirst().completion(result)
        } else {
            jobs.first?.onProgress()
        }
        proceed()
    }
}
