/// Keeps bluetoothd's discovery as it is wanted: one filter, one start and one stop at a time.
///
/// Discovery belongs to the connection to the bus: it has one filter, and a second start is an error.
package struct DiscoveryStateMachine: Equatable {
    /// What bluetoothd is asked to look for.
    ///
    /// Services are not a part of it: bluetoothd compares `UUIDs` with the list of services only, and would
    /// leave out a device that advertises nothing but data of a service.
    package struct Filter: Equatable {
        package var reportsDuplicates: Bool
        /// In dBm: each change of a strength is told down to it; nil is larger changes of all.
        package var minimumRSSI: Int?

        package init(reportsDuplicates: Bool, minimumRSSI: Int? = nil) {
            self.reportsDuplicates = reportsDuplicates
            self.minimumRSSI = minimumRSSI
        }
    }

    /// What to do.
    package enum Action: Equatable {
        // Each call reports `replied` with its number, so that a late answer is that of its own call.
        case setFilter(Filter, call: Int)
        case start(call: Int)
        case stop(call: Int)
        /// Calls `waited` with the number after `busyDelay`.
        case wait(call: Int)
        /// Tell everyone who scans that it does not work.
        case fail
    }

    private enum State: Equatable {
        /// Not discovering. Next: `configuring`.
        case off
        /// `SetDiscoveryFilter` is pending. Next: `starting`, `on`, `stopping`, `off`.
        case configuring(Filter, isOn: Bool)
        /// `StartDiscovery` is pending. Next: `on`, `stopping`, `waiting`, `off`.
        case starting(Filter)
        /// The controller was busy. Next: `configuring`, `off`.
        case waiting
        /// Discovering. Next: `configuring`, `stopping`, `off`.
        case on(Filter)
        /// `StopDiscovery` is pending. Next: `off`, `configuring`.
        case stopping
    }

    /// The pause before a start is repeated, if the kernel has refused it as busy.
    ///
    /// The kernel discovers for up to 10.24 s after bluetoothd was killed.
    package static let busyDelay = Duration.seconds(1)

    private var state = State.off
    private var wanted: Filter?
    private var lastCall = 0

    package init() {}

    /// Whether nothing is asked of bluetoothd, nor has been asked without an answer yet.
    var isOff: Bool { state == .off }

    /// Changes what is wanted; nil is no discovery.
    package mutating func want(_ filter: Filter?) -> [Action] {
        wanted = filter
        switch state {
        case .off, .on: return proceed()
        case .configuring, .starting, .stopping: return []
        case .waiting:
            if filter == nil { reset() }
            return []
        }
    }

    /// A call answered; nothing happens when it is not the pending one.
    ///
    /// A refused stop counts as stopped: there was nothing to stop.
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
            guard wanted != nil else {
                state = .off
                return []
            }
            state = .starting(filter)
            return [.start(call: nextCall())]
        case .starting(let filter):
            guard succeeded else { return giveUp() }
            state = .on(filter)
        }
        return proceed()
    }

    /// The kernel refused a start as busy.
    ///
    /// A call that is not the pending one is ignored.
    package mutating func wasBusy(_ call: Int) -> [Action] {
        guard call == lastCall, case .starting = state else { return [] }
        guard wanted != nil else {
            reset()
            return []
        }
        state = .waiting
        return [.wait(call: nextCall())]
    }

    /// The pause of a `wait` has ended.
    package mutating func waited(_ call: Int) -> [Action] {
        guard call == lastCall, state == .waiting else { return [] }
        state = .off
        return proceed()
    }

    /// The adapter went off or away, or bluetoothd did: discovery ended without a call.
    package mutating func dropped() -> [Action] {
        giveUp()
    }

    /// Ends the discovery; a reply to an earlier call is ignored from now on.
    private mutating func reset() {
        state = .off
        lastCall += 1
    }

    private mutating func giveUp() -> [Action] {
        reset()
        guard wanted != nil else { return [] }
        wanted = nil
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
            guard let wanted else { return [] }
            state = .configuring(wanted, isOn: false)
            return [.setFilter(wanted, call: nextCall())]
        case .on(let present):
            guard let wanted else {
                state = .stopping
                return [.stop(call: nextCall())]
            }
            guard wanted != present else { return [] }
            state = .configuring(wanted, isOn: true)
            return [.setFilter(wanted, call: nextCall())]
        }
    }
}
