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
}
