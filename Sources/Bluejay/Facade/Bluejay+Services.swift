internal import BluejayBlueZ

/// What can be done with a characteristic of a connected peripheral.
///
/// Each option is one word of `org.bluez.GattCharacteristic1.Flags`; the first eight are the bits of the
/// Core Specification, Vol 3, Part G, 3.3.1.1.
public struct CharacteristicProperties: OptionSet, Hashable, Swift.Sendable {
    /// One bit an option.
    public let rawValue: UInt16

    /// Makes a set from bits.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The value can be part of the advertisement.
    public static let broadcast = Self(rawValue: 1 << 0)
    /// The value can be read.
    public static let read = Self(rawValue: 1 << 1)
    /// The value can be written without an answer.
    public static let writeWithoutResponse = Self(rawValue: 1 << 2)
    /// The value can be written.
    public static let write = Self(rawValue: 1 << 3)
    /// The peripheral sends values by itself, unconfirmed.
    public static let notify = Self(rawValue: 1 << 4)
    /// The peripheral sends values by itself, and BlueZ confirms them.
    public static let indicate = Self(rawValue: 1 << 5)
    /// The value can be written with a signature.
    public static let authenticatedSignedWrites = Self(rawValue: 1 << 6)
    /// The characteristic has the descriptor Extended Properties.
    public static let extendedProperties = Self(rawValue: 1 << 7)
    /// Writes of several parts are checked before they are applied.
    public static let reliableWrite = Self(rawValue: 1 << 8)
    /// The description of the characteristic can be written.
    public static let writableAuxiliaries = Self(rawValue: 1 << 9)

    private static let words = [
        "broadcast", "read", "write-without-response", "write", "notify", "indicate",
        "authenticated-signed-writes", "extended-properties", "reliable-write",
        "writable-auxiliaries",
    ]

    init(flags: Set<String>) {
        var bits: UInt16 = 0
        for (bit, word) in Self.words.enumerated() where flags.contains(word) { bits |= 1 << bit }
        rawValue = bits
    }
}

/// A characteristic that a connected peripheral has.
public struct PeripheralCharacteristic: Hashable, Swift.Sendable {
    /// What to read, write or listen to.
    public let identifier: CharacteristicIdentifier

    /// What can be done with it.
    public let properties: CharacteristicProperties

    /// The UUIDs of its descriptors, in the order of their handles.
    public let descriptors: [BluetoothUUID]
}

/// A service that a connected peripheral has.
public struct PeripheralService: Hashable, Swift.Sendable {
    /// Which service it is; two instances of one service have the same.
    public let identifier: ServiceIdentifier

    /// Whether it is a primary service, rather than one that others include.
    public let isPrimary: Bool

    /// Its characteristics, in the order of their handles.
    public let characteristics: [PeripheralCharacteristic]
}

extension Bluejay {
    /// The services of the connected peripheral, in the order of their handles.
    ///
    /// Known from `connected(to:)` on, without radio traffic, and kept up to date; empty while no
    /// peripheral is connected. bluetoothd keeps the service Generic Access to itself.
    /// ``BluetoothUUID/standardName`` names the standard ones.
    public var services: [PeripheralService] {
        state { runner in
            (runner.queue.isConnected ? runner.lease?.link.services ?? [] : [])
                .map { PeripheralService($0) }
        }
    }
}

extension PeripheralService {
    fileprivate init(_ service: GATTService) {
        let identifier = ServiceIdentifier(uuid: BluetoothUUID(string: service.uuid))
        self.identifier = identifier
        isPrimary = service.isPrimary
        characteristics = service.characteristics.map { characteristic in
            PeripheralCharacteristic(
                identifier: CharacteristicIdentifier(
                    uuid: BluetoothUUID(string: characteristic.uuid),
                    service: identifier
                ),
                properties: CharacteristicProperties(flags: characteristic.flags),
                descriptors: characteristic.descriptors.map { BluetoothUUID(string: $0) }
            )
        }
    }
}
