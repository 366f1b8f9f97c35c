/// A characteristic of a scripted device.
public struct ScriptedCharacteristic: Swift.Sendable {
    /// The UUID, 4, 8 or 36 characters.
    public var uuid: String
    /// The flags in BlueZ's notation, for example "read", "notify", "write-without-response", "encrypt-read".
    public var flags: [String]
    /// The behaviour.
    public var behavior: ScriptedBehavior
    /// Descriptors with their values; 0x2902 is added automatically.
    public var descriptors: [(uuid: String, value: [UInt8])]

    /// Creates a characteristic.
    public init(
        _ uuid: String,
        _ flags: [String],
        _ behavior: ScriptedBehavior,
        descriptors: [(uuid: String, value: [UInt8])] = []
    ) {
        self.uuid = uuid
        self.flags = flags
        self.behavior = behavior
        self.descriptors = descriptors
    }
}

extension ScriptedCharacteristic {
    /// Whether a descriptor is writable: the user description, if the flags permit it (Core Specification,
    /// Vol 3, Part G, 3.3.3.2).
    func canWrite(_ descriptor: AttributeDatabase.Descriptor) -> Bool {
        descriptor.uuid == UUIDText.long("2901") && flags.contains("writable-auxiliaries")
    }
}
