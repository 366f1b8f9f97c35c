internal import BluejayGLib

/// The calls that wait until a channel has sent its packets, or has ended.
///
/// The calls keep the channel until its end.
final class ChannelDrain {
    typealias FlushID = ChannelStateMachine.FlushID

    /// Asks the kernel whether it has sent the packets.
    var pollTimer: ScheduledTimer?
    private var flushes: [FlushID: PendingFlush] = [:]
    private var lastFlush = 0
    private var closeTimers: [ScheduledTimer] = []
    private var closeCompletions: [Channel.CloseCompletion] = []
    private var closingChannel: Channel?
    /// Whether the link is being released.
    var isReleasing = false

    private struct PendingFlush {
        let timer: ScheduledTimer?
        let completion: Channel.FlushCompletion
    }

    // MARK: Flushes

    func nextFlush() -> FlushID {
        lastFlush += 1
        return lastFlush
    }

    func add(
        _ id: FlushID,
        _ timer: ScheduledTimer?,
        _ completion: @escaping Channel.FlushCompletion
    ) {
        flushes[id] = PendingFlush(timer: timer, completion: completion)
    }

    /// Removes a flush; nil if it has completed.
    func remove(_ id: FlushID) -> Channel.FlushCompletion? {
        flushes.removeValue(forKey: id)?.completion
    }

    // MARK: Closing

    func keep(_ channel: Channel, until timer: ScheduledTimer?) {
        closingChannel = channel
        if let timer { closeTimers.append(timer) }
    }

    func whenReleased(_ completion: @escaping Channel.CloseCompletion) {
        closeCompletions.append(completion)
    }

    /// The socket is closed.
    func socketClosed() {
        pollTimer = nil
        closeTimers = []
    }

    /// The link is released, or was never requested.
    func released(unsentByteCount: Int) {
        isReleasing = false
        let completions = closeCompletions
        closeCompletions = []
        closingChannel = nil
        for completion in completions { completion(unsentByteCount) }
    }
}
