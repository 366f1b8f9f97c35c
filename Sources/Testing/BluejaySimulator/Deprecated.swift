/// The former name of ``SimulatedBlueZVersion``.
@available(*, deprecated, renamed: "SimulatedBlueZVersion")
@_documentation(visibility: internal)
public typealias BlueZKind = SimulatedBlueZVersion

/// The former name of ``ScriptedBehavior``.
@available(*, deprecated, renamed: "ScriptedBehavior")
@_documentation(visibility: internal)
public typealias ScriptedBehaviour = ScriptedBehavior

extension SimulatorOptions {
    /// The former name of ``version``.
    @available(*, deprecated, renamed: "version")
    public var kind: SimulatedBlueZVersion {
        get { version }
        set { version = newValue }
    }
}

extension ScriptedCharacteristic {
    /// The former name of ``behavior``.
    @available(*, deprecated, renamed: "behavior")
    public var behaviour: ScriptedBehavior {
        get { behavior }
        set { behavior = newValue }
    }
}

extension ScriptedBehavior {
    /// The former name of ``neverReplies``.
    @available(*, deprecated, renamed: "neverReplies")
    public static var silent: Self { .neverReplies }

    /// The former name of ``disconnects``.
    @available(*, deprecated, renamed: "disconnects")
    public static var leaves: Self { .disconnects }

    /// The former name of ``repliesLate(_:afterSeconds:)``.
    @available(*, deprecated, renamed: "repliesLate(_:afterSeconds:)")
    public static func late(_ value: [UInt8], afterSeconds seconds: Double) -> Self {
        .repliesLate(value, afterSeconds: seconds)
    }

    /// The former name of ``replays(_:holding:)``.
    @available(*, deprecated, renamed: "replays(_:holding:)")
    public static func plays(_ values: [TimedValue], holding value: [UInt8]?) -> Self {
        .replays(values, holding: value)
    }
}

extension SimulatedDevice {
    /// The former name of ``DoorLock``.
    @available(*, deprecated, renamed: "DoorLock")
    public typealias Lock = DoorLock

    /// The former name of ``setBehavior(_:of:instance:)``.
    @available(*, deprecated, renamed: "setBehavior(_:of:instance:)")
    public func setBehaviour(
        _ behavior: ScriptedBehavior,
        of characteristic: String,
        instance: Int? = nil
    ) {
        setBehavior(behavior, of: characteristic, instance: instance)
    }

    /// The former name of ``leaveRange()``.
    @available(*, deprecated, renamed: "leaveRange()")
    public func goAway() { leaveRange() }

    /// The former name of ``returnToRange()``.
    @available(*, deprecated, renamed: "returnToRange()")
    public func comeBack() { returnToRange() }

    /// The former name of ``dropLink()``.
    @available(*, deprecated, renamed: "dropLink()")
    public func drop() { dropLink() }

    /// The former name of ``stopResponding()``.
    @available(*, deprecated, renamed: "stopResponding()")
    public func fallSilent() { stopResponding() }
}

extension SimulatedCentral {
    /// The former name of ``leaveRange()``.
    @available(*, deprecated, renamed: "leaveRange()")
    public func goAway() { leaveRange() }

    /// The former name of ``returnToRange()``.
    @available(*, deprecated, renamed: "returnToRange()")
    public func comeBack() { returnToRange() }
}

extension Fault {
    /// The former name of ``daemonFrozen(for:)``.
    @available(*, deprecated, renamed: "daemonFrozen(for:)")
    public static func daemonStandsStill(for duration: Duration) -> Self {
        .daemonFrozen(for: duration)
    }

    /// The former name of ``daemonResumed``.
    @available(*, deprecated, renamed: "daemonResumed")
    public static var daemonGoesOn: Self { .daemonResumed }
}

extension CentralStep {
    /// The former name of ``disconnect``.
    @available(*, deprecated, renamed: "disconnect")
    public static var leave: Self { .disconnect }

    /// The former name of ``loseLink``.
    @available(*, deprecated, renamed: "loseLink")
    public static var vanish: Self { .loseLink }
}
