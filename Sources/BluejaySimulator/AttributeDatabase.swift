/// The attributes of one device, with their handles.
struct AttributeDatabase: Equatable {
    struct Service: Equatable {
        var handle: UInt16
        /// Full UUID text, lower case.
        var uuid: String
        var isPrimary = true
        var characteristics: [Characteristic] = []
    }

    struct Characteristic: Equatable {
        /// The handle of the declaration; the value's is one more.
        var handle: UInt16
        var uuid: String
        var flags: [String]
        /// A value that bluetoothd reads while it resolves.
        var initialValue: [UInt8] = []
        var descriptors: [Descriptor] = []

        var valueHandle: UInt16 { handle + 1 }
        var canNotify: Bool { flags.contains("notify") || flags.contains("indicate") }
    }

    struct Descriptor: Equatable {
        var handle: UInt16
        var uuid: String
    }

    var services: [Service] = []

    /// What bluetoothd has of its own: Generic Access and Generic Attribute.
    static func standard() -> AttributeDatabase {
        var builder = AttributeBuilder()
        builder.add(
            "1800",
            characteristics: [("2a00", ["read"], []), ("2a01", ["read"], [])].map {
                AttributeBuilder.Item(uuid: $0.0, flags: $0.1, descriptors: $0.2)
            }
        )
        builder.nextHandle = 6
        let hash: [UInt8] = [
            0x43, 0x3f, 0xfa, 0x14, 0x71, 0xab, 0xee, 0xdb, 0xbe, 0x77, 0x75, 0xc6, 0x0a, 0x80,
            0x61, 0xe3,
        ]
        builder.add(
            "1801",
            characteristics: [
                .init(uuid: "2a05", flags: ["indicate"]),
                .init(uuid: "2b29", flags: ["read", "write"]),
                .init(uuid: "2b2a", flags: ["read"], initialValue: hash),
            ]
        )
        return builder.database
    }

    /// The characteristic whose value has a handle.
    func characteristic(_ valueHandle: UInt16) -> Characteristic? {
        services.lazy.flatMap(\.characteristics).first { $0.valueHandle == valueHandle }
    }

    /// The first handle that nothing has.
    var freeHandle: UInt16 {
        let handles = services.flatMap { service in
            [service.handle]
                + service.characteristics.flatMap {
                    [$0.valueHandle] + $0.descriptors.map(\.handle)
                }
        }
        return (handles.max() ?? 0) + 1
    }
}

/// Hands out handles in the order of the attributes.
struct AttributeBuilder {
    struct Item {
        var uuid: String
        var flags: [String]
        /// Descriptors beside the automatic Client Characteristic Configuration.
        var descriptors: [String] = []
        var initialValue: [UInt8] = []
    }

    var database = AttributeDatabase()
    var nextHandle: UInt16 = 1

    init() {}

    init(after database: AttributeDatabase) {
        self.database = database
        nextHandle = database.freeHandle
    }

    mutating func add(_ uuid: String, isPrimary: Bool = true, characteristics: [Item]) {
        var service = AttributeDatabase.Service(
            handle: take(),
            uuid: fullUUID(uuid),
            isPrimary: isPrimary
        )
        for item in characteristics {
            var characteristic = AttributeDatabase.Characteristic(
                handle: take(2),
                uuid: fullUUID(item.uuid),
                flags: item.flags,
                initialValue: item.initialValue
            )
            // Client Characteristic Configuration, Core Specification, Vol 3, Part G, 3.3.3.3.
            let automatic = characteristic.canNotify ? ["2902"] : []
            for descriptor in automatic + item.descriptors {
                characteristic.descriptors.append(
                    AttributeDatabase.Descriptor(handle: take(), uuid: fullUUID(descriptor))
                )
            }
            service.characteristics.append(characteristic)
        }
        database.services.append(service)
    }

    private mutating func take(_ count: UInt16 = 1) -> UInt16 {
        defer { nextHandle += count }
        return nextHandle
    }
}

/// The 36 characters, lower case, of a UUID given with 4, 8 or 36.
func fullUUID(_ text: String) -> String {
    let lower = text.lowercased()
    let base = "-0000-1000-8000-00805f9b34fb"
    switch lower.utf8.count {
    case 4: return "0000" + lower + base
    case 8: return lower + base
    default: return lower
    }
}

func hexHandle(_ handle: UInt16) -> String {
    let digits = String(handle, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
}
