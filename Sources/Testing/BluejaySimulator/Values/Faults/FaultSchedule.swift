/// Faults of a simulated system with the times or events that cause them, as data.
///
/// ``SimulatorOptions/faults`` applies a schedule from the start of the world, and
/// ``SimulatedBlueZ/play(_:)`` from the time of the call.
public struct FaultSchedule: Equatable, Swift.Sendable {
    /// The seed of the random times; equal schedules have equal times.
    public var seed: UInt32
    /// The faults with their triggers, in any order; those of one trigger occur in this order.
    public var events: [FaultEvent]

    /// Creates a schedule.
    public init(_ events: [FaultEvent] = [], seed: UInt32 = 0) {
        self.events = events
        self.seed = seed
    }
}

/// A fault with its trigger.
public struct FaultEvent: Equatable, Swift.Sendable {
    /// The event or the time that causes the fault.
    public var trigger: FaultTrigger
    /// The consequence.
    public var effect: FaultEffect
    /// The simulated time after which the opposite fault is applied; `nil` means never.
    ///
    /// Faults without an opposite, such as ``Fault/linkLost(_:_:)``, and those of single calls ignore it.
    public var duration: Duration?

    /// Creates an event.
    ///
    /// - Parameters:
    ///   - trigger: The event or the time that causes the fault.
    ///   - effect: The consequence.
    ///   - duration: The time after which the opposite fault is applied; `nil` means never.
    public init(on trigger: FaultTrigger, _ effect: FaultEffect, for duration: Duration? = nil) {
        self.trigger = trigger
        self.effect = effect
        self.duration = duration
    }
}

/// The event or the time that causes a fault; each event occurs once.
///
/// Ordinals count from 1, from the start of the schedule. Times are simulated.
public enum FaultTrigger: Hashable, Swift.Sendable {
    /// A time after the start of the schedule.
    case time(Duration)
    /// A time after the start of the schedule, between two limits, which the seed of the schedule selects.
    case randomTime(ClosedRange<Duration>)
    /// The arrival of a call of a method of bluetoothd, such as `ReadValue`.
    ///
    /// bluetoothd has not handled the call yet: a fault of the world occurs while the call is pending.
    case call(String, ordinal: Int = 1)
    /// A signal such as `PropertiesChanged` or a call such as `RequestPasskey` that bluetoothd has sent.
    case sent(String, ordinal: Int = 1)
    /// A value of a characteristic, given by its UUID, that a scripted device has sent to its subscribers.
    case value(String, ordinal: Int = 1)
}

/// The consequence of a trigger.
public enum FaultEffect: Equatable, Swift.Sendable {
    /// A fault of the world.
    case world(Fault)
    /// bluetoothd refuses the call of the trigger with this error name and text.
    case callRefused(String, String)
    /// bluetoothd never replies to the call of the trigger, and does not handle it.
    case callUnanswered
    /// bluetoothd handles the call of the trigger after this simulated time.
    case callDelayed(Duration)
}

extension Fault {
    /// The fault that ends this one, or `nil`.
    var opposite: Fault? {
        switch self {
        case .daemonKilled, .daemonTerminated: .daemonStarted
        case .adapterUnplugged(let number): .adapterPlugged(number)
        case .adapterPlugged(let number): .adapterUnplugged(number)
        case .adapterPowered(let number, let isOn): .adapterPowered(number, !isOn)
        case .adaptersBlocked(let isBlocked): .adaptersBlocked(!isBlocked)
        case .deviceLeft(let address), .deviceSilent(let address): .deviceReturned(address)
        case .deviceReturned(let address): .deviceLeft(address)
        case .callsHeld(let member), .callsRefused(let member, _, _): .callsReleased(member)
        case .otherProgramConnects(let address): .otherProgramDisconnects(address)
        case .otherProgramScans(let isOn): .otherProgramScans(!isOn)
        case .otherProgramAcquires(let uuid, let isOn): .otherProgramAcquires(uuid, !isOn)
        case .connectsDespiteDisconnect(let isOn): .connectsDespiteDisconnect(!isOn)
        case .daemonFrozen: .daemonResumed
        case .daemonStarted, .daemonResumed, .busRestarted, .linkLost, .servicesChanged,
            .callsReleased, .otherProgramDisconnects:
            nil
        }
    }
}
