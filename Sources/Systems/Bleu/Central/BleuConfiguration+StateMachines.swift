internal import FoundationEssentials

extension BleuConfiguration {
    var callSettings: CallStateMachine<UUID>.Settings {
        CallStateMachine.Settings(
            replyTimeout: .bounded(callTimeout),
            messageTimeout: .bounded(reassemblyTimeout),
            queueCapacity: maximumQueuedCalls
        )
    }

    var retrySettings: RetryStateMachine.Settings {
        RetryStateMachine.Settings(
            initialDelay: .bounded(initialRetryDelay),
            maximumDelay: .bounded(maximumRetryDelay),
            maximumRetryCount: maximumRetries
        )
    }

    var transportLimits: BLETransport.Limits {
        BLETransport.Limits(
            messageLength: maximumMessageSize,
            timeout: .bounded(reassemblyTimeout),
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
