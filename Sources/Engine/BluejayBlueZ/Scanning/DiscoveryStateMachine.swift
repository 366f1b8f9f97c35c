/// Keeps bluetoothd's discovery in the requested state, with one call at a time.
///
/// Discovery belongs to the bus connection: a connection has one filter, and a second start is an error.
package struct DiscoveryStateMachine: Equatable {
    /// The discovery filter for bluetoothd.
    ///
    /// It contains no services: bluetoothd compares `UUIDs` with the list of services only, and would
    /// omit a device that advertises nothing but service data.
    package struct MergedFilter: Equatable {
        package var reportsDuplicates: Bool
        /// In dBm: bluetoothd reports each RSSI change down to this value; `nil` reports larger changes
        /// of all devices.
        package var minimumRSSI: Int?

        package init(reportsDuplicates: Bool, minimumRSSI: Int? = nil) {
            self.reportsDuplicates = reportsDuplicates
            self.minimumRSSI = minimumRSSI
        }
    }

    package enum Action: Equatable {
        // Each call reports `replied` with its number, so that a late reply is matched to its own call.
        case setFilter(MergedFilter, call: Int)
        case start(call: Int)
        case stop(call: Int)
        /// Report `waited` with the number after `retryDelay`.
        case wait(call: Int)
        case fail
    }

    private enum State: Equatable {
        /// Not discovering. Next: `configuring`.
        case off
        /// `SetDiscoveryFilter` is pending. Next: `starting`, `on`, `stopping`, `waiting`, `off`.
        case configuring(MergedFilter, isOn: Bool)
        /// `StartDiscovery` is pending. Next: `on`, `stopping`, `waiting`, `off`.
        case starting(MergedFilter)
        /// A call was refused for now. Next: `configuring`, `off`.
        case waiting
        /// Discovering. Next: `configuring`, `stopping`, `off`.
        case on(MergedFilter)
        /// `StopDiscovery` is pending. Next: `off`, `configuring`.
        case stopping
    }

    /// The delay before retrying a call that was refused for now.
    package static let retryDelay = Duration.seconds(1)
    /// The refusals in a row that are retried, except those of a busy kernel.
    ///
    /// bluetoothd refuses discovery for about 2 s while Bluetooth returns.
    package static let maximumRefusalCount = 10

    private var state = State.off
    private var requestedFilter: MergedFilter?
    private var lastCall = 0
    private var refusalCount = 0

    package init() {}

    /// Whether discovery is off and no call is pending.
    var isOff: Bool { state == .off }

    /// Sets the requested filter; `nil` is no discovery.
    package mutating func updateFilter(_ filter: MergedFilter?) -> [Action] {
        requestedFilter = filter
        switch state {
        case .off, .on: return proceed()
        case .configuring, .starting, .stopping: return []
        case .waiting:
            if filter == nil { reset() }
            return []
        }
    }

    /// bluetoothd replied to a call; replies to calls other than the pending one are ignored.
    ///
    /// A refused stop counts as stopped.
    package mutating func replied(_ call: Int, succeeded: Bool) -> [Action] {
        guard call == lastCall else { return [] }
        switch state {
        case .off, .on, .waiting: return []
        case .stopping: state = .off
        case .configuring(let filter, let isOn):
            guard succeeded else { return giveUp() }
            guard !isOn else {
                state = .on(filter)
                break
            }
            guard requestedFilter != nil else {
                state = .off
                return []
            }
            state = .starting(filter)
            return [.start(call: nextCall())]
        case .starting(let filter):
            guard succeeded else { return giveUp() }
            state = .on(filter)
            refusalCount = 0
        }
        return proceed()
    }

    /// The kernel refused a start as busy, which it is for up to 10.24 s after bluetoothd was killed.
    ///
    /// Calls other than the pending one are ignored.
    package mutating func wasBusy(_ call: Int) -> [Action] {
        guard call == lastCall, case .starting = state else { return [] }
        return wait()
    }

    /// bluetoothd refused the filter or the start for now, although the adapter is on.
    ///
    /// Calls other than the pending one are ignored.
    package mutating func wasRefused(_ call: Int) -> [Action] {
        guard call == lastCall else { return [] }
        switch state {
        case .off, .on, .waiting: return []
        case .stopping: return replied(call, succeeded: false)
        case .configuring, .starting:
            refusalCount += 1
            return refusalCount > Self.maximumRefusalCount ? giveUp() : wait()
        }
    }

    private mutating func wait() -> [Action] {
        guard requestedFilter != nil else {
            reset()
            return []
        }
        state = .waiting
        return [.wait(call: nextCall())]
    }

    /// The delay of a `wait` ended.
    package mutating func waited(_ call: Int) -> [Action] {
        guard call == lastCall, state == .waiting else { return [] }
        state = .off
        return proceed()
    }

    /// Discovery ended because the adapter or bluetoothd disappeared, or the adapter was switched off.
    package mutating func discoveryLost() -> [Action] {
        giveUp()
    }

    /// Ends the discovery; replies to earlier calls are ignored.
    private mutating func reset() {
        state = .off
        refusalCount = 0
        lastCall += 1
    }

    private mutating func giveUp() -> [Action] {
        reset()
        guard requestedFilter != nil else { return [] }
        requestedFilter = nil
        return [.fail]
    }

    private mutating func nextCall() -> Int {
        lastCall += 1
        return lastCall
    }

    private mutating func proceed() -> [Action] {
        switch state {
        case .configuring, .starting, .waiting, .stopping: return []
        case .off:
            guard let requestedFilter else { return [] }
            state = .configuring(requestedFilter, isOn: false)
            return [.setFilter(requestedFilter, call: nextCall())]
        case .on(let present):
            guard let requestedFilter else {
                state = .stopping
                return [.stop(call: nextCall())]
            }
            guard requestedFilter != present else { return [] }
            state = .configuring(requestedFilter, isOn: true)
            return [.setFilter(requestedFilter, call: nextCall())]
        }
    }
}
