internal import FoundationEssentials

extension BleuConfiguration {
    var callSettings: CallStateMachine<UUID>.Settings {
        CallStateMachine.Settings(
            answerTime: .bounded(callTimeout),
            messageTime: .bounded(reassemblyTimeout),
            queueLimit: maximumQueuedCalls
        )
    }

    var retrySettings: RetryStateMachine.Settings {
        RetryStateMachine.Settings(
            firstDelay: .bounded(initialRetryDelay),
            longestDelay: .bounded(maximumRetryDelay),
            retries: maximumRetries
        )
    }

    var transportLimits: BLETransport.Limits {
        BLETransport.Limits(
            messageLength: maximumMessageSize,
            time: .bounded(reassemblyTimeout),
            compressionThreshold: compressionThreshold
        )
    }
}

extension Duration {
    /// A number of seconds from 0 to a million; 0 if it is not a number.
    static func bounded(_ seconds: TimeInterval) -> Duration {
        .seconds(seconds.isNaN ? 0 : min(max(seconds, 0), 1_000_000))
    }
}
