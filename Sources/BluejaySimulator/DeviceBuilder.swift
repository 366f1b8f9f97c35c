/// How a scripted characteristic answers a read.
public enum ReadBehaviour: Swift.Sendable {
    /// The present value.
    case value
    /// A refusal with an error code of the Attribute Protocol.
    case refuse(UInt8)
    /// No answer at all: bluetoothd gives up after 30 seconds and drops the link.
    case neverAnswer
    /// The present value, later.
    case answerAfter(Duration)
    /// What the closure computes, on the simulator's thread.
    case compute(@Sendable () -> [UInt8])
}

/// What a scripted characteristic does with a write.
public enum WriteBehaviour: Swift.Sendable {
    /// The value is kept and can be read.
    case store
    /// The value is kept and sent to whoever listens to the same characteristic.
    case echo
    /// The value is kept when it is one of these, and refused with the error code otherwise.
    case accept([[UInt8]], otherwise: UInt8)
    /// A refusal with an error code of the Attribute Protocol.
    case refuse(UInt8)
    /// No answer at all.
    case neverAnswer
    /// What the closure answers, on the simulator's thread: nil to accept, or an error code.
    case run(@Sendable ([UInt8]) -> UInt8?)
}

/// What a scripted characteristic sends to whoever listens to it.
public enum NotifyBehaviour: Swift.Sendable {
    /// Nothing by itself; see `SimulatedDevice.notify`.
    case nothing
    /// One value each period, in order and then from the first again, as long as somebody listens.
    case every(Duration, [[UInt8]])
    /// These values, once, as soon as somebody listens.
    case atOnce([[UInt8]])
}

/// A characteristic of a scripted device: data, with closures only where data will not do.
public struct SimulatedCharacteristic: Swift.Sendable {
    /// The UUID, of 4, 8 or 36 characters.
    public var uuid: String
    /// BlueZ's words: `read`, `write`, `write-without-response`, `notify`, `encrypt-read` …
    public var flags: [String]
    /// The first value.
    public var value: [UInt8]
    /// How it answers a read.
    public var reading: ReadBehaviour
    /// What it does with a write.
    public var writing: WriteBehaviour
    /// What it sends to listeners.
    public var notifying: NotifyBehaviour
    /// Descriptors with their values; 0x2902 is added by itself.
    public var descriptors: [(uuid: String, value: [UInt8])]

    /// Makes a characteristic that keeps what is written to it.
    public init(
        _ uuid: String,
        _ flags: [String],
        value: [UInt8] = [],
        reading: ReadBehaviour = .value,
        writing: WriteBehaviour = .store,
        notifying: NotifyBehaviour = .nothing,
        descriptors: [(uuid: String, value: [UInt8])] = []
    ) {
        self.uuid = uuid
        self.flags = flags
        self.value = value
        self.reading = reading
        self.writing = writing
        self.notifying = notifying
        self.descriptors = descriptors
    }
}

/// A service of a scripted device.
public struct SimulatedService: Swift.Sendable {
    /// The UUID, of 4, 8 or 36 characters.
    public var uuid: String
    /// The characteristics in the order of their handles.
    public var characteristics: [SimulatedCharacteristic]

    /// Makes a primary service.
    public init(_ uuid: String, _ characteristics: [SimulatedCharacteristic]) {
        self.uuid = uuid
        self.characteristics = characteristics
    }
}

/// A device to be put into the virtual air.
///
/// ```swift
/// var sensor = DeviceBuilder("Heart Rate Sensor", address: "C4:7C:8D:6A:1F:02")
/// sensor.advertisedServices = ["180D"]
/// sensor.services = [SimulatedService("180D", [SimulatedCharacteristic("2A38", ["read"], value: [2])])]
/// ```
public struct DeviceBuilder: Swift.Sendable {
    /// The local name; nil for a device that does not tell one.
    public var name: String?
    /// Six bytes, `AA:BB:CC:DD:EE:FF`.
    public var address: String
    /// Whether the address is public or random.
    public var addressType: AddressType
    /// The UUIDs in the advertisement, of 4, 8 or 36 characters.
    public var advertisedServices: [String] = []
    /// By company.
    public var manufacturerData: [UInt16: [UInt8]] = [:]
    /// By service UUID.
    public var serviceData: [String: [UInt8]] = [:]
    /// Whether the flags say general discoverable.
    public var isDiscoverable = true
    /// Whether it accepts a connection.
    public var isConnectable = true
    /// The appearance, for example 0x0341 for a heart-rate belt.
    public var appearance: UInt16?
    /// The signal strength at which it is received, in dBm.
    public var rssiInDBm: Int16 = -60
    /// The largest ATT packet it agrees to, 23 to 517.
    public var mtu = 517
    /// Whether it pairs when it is asked to.
    public var acceptsPairing = true
    /// The services beside the two that every device has.
    public var services: [SimulatedService] = []

    /// Makes a device that advertises as soon as it is in the air.
    public init(_ name: String?, address: String, type addressType: AddressType = .random) {
        self.name = name
        self.address = address
        self.addressType = addressType
    }
}

/// Why a device cannot be put into the air.
public struct InvalidDevice: Error, Equatable, CustomStringConvertible {
    /// What is wrong with it.
    public let description: String
}
