/// What a scripted characteristic does when it is read, written or listened to.
public enum ScriptedBehaviour: Swift.Sendable {
    /// Holds a value: reads give it, writes replace it.
    case value([UInt8])
    /// Holds a value as above, and sends to its listeners what is written.
    case echoes([UInt8])
    /// Refuses with an error code of the Attribute Protocol (Core Specification, Vol 3, Part F,
    /// 3.4.1.1); 0x05 and 0x0F are what is left when the peer refused to pair.
    case refuses(UInt8)
    /// Accepts writes of one of these values and refuses others with a code; reads are refused.
    case accepts([[UInt8]], otherwise: UInt8)
    /// Never answers; after 30 s the link breaks.
    case silent
    /// Ends the link instead of answering.
    case leaves
    /// Gives the value so many seconds late.
    case late([UInt8], afterSeconds: Double)
    /// Sends these values in turn while somebody listens, one each `everySeconds`, over and over.
    case sends([[UInt8]], everySeconds: Double)
    /// Holds a value: reads give it, writes replace it. What is timed is sent once to whoever listens,
    /// and again from the start when somebody listens after nobody did. Without a value reads are refused
    /// with 0x02, and writes are taken.
    case plays([TimedValue], holding: [UInt8]?)
    /// Reads give what the closure computes, on the simulator's thread.
    case computes(@Sendable () -> [UInt8])
    /// Writes are asked about on the simulator's thread: nil takes the value, a code refuses it.
    case decides(@Sendable ([UInt8]) -> UInt8?)
}

/// A value that is sent at its time.
public struct TimedValue: Hashable, Swift.Sendable {
    /// Simulated time since the first listener came.
    public var time: Duration
    /// What is sent.
    public var value: [UInt8]

    /// Makes a value; one whose time is over is sent at once.
    public init(at time: Duration, _ value: [UInt8]) {
        self.time = time
        self.value = value
    }
}

/// A characteristic of a scripted device.
public struct ScriptedCharacteristic: Swift.Sendable {
    /// The UUID, 4, 8 or 36 characters.
    public var uuid: String
    /// The words of BlueZ, for example "read", "notify", "write-without-response", "encrypt-read".
    public var flags: [String]
    /// What it does.
    public var behaviour: ScriptedBehaviour
    /// Descriptors with their values; 0x2902 is added by itself.
    public var descriptors: [(uuid: String, value: [UInt8])]

    /// Makes a characteristic.
    public init(
        _ uuid: String,
        _ flags: [String],
        _ behaviour: ScriptedBehaviour,
        descriptors: [(uuid: String, value: [UInt8])] = []
    ) {
        self.uuid = uuid
        self.flags = flags
        self.behaviour = behaviour
        self.descriptors = descriptors
    }
}

extension ScriptedCharacteristic {
    /// Whether a descriptor may be written: the description for people, where the flags say so (Core
    /// Specification, Vol 3, Part G, 3.3.3.2).
    func canWrite(_ descriptor: AttributeDatabase.Descriptor) -> Bool {
        descriptor.uuid == UUIDText.long("2901") && flags.contains("writable-auxiliaries")
    }
}
