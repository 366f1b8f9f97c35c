/// The content of a service, before handles are assigned.
struct ServiceDescription: Equatable {
    var uuid: String
    var isPrimary = true
    /// The handles of the included services.
    var includes: [UInt16] = []
    var characteristics: [CharacteristicDescription] = []
}

/// The content of a characteristic, before handles are assigned.
struct CharacteristicDescription: Equatable {
    var uuid: String
    /// The flags in BlueZ's notation, for example `encrypt-read`.
    var flags: [String]
    /// The descriptors, without those that a server adds itself (0x2900, 0x2902).
    var descriptors: [DescriptorDescription] = []
    /// The value that a client reads during service discovery: bluetoothd reads the database hash.
    var knownValue: [UInt8] = []
}

/// The content of a descriptor, before a handle is assigned.
struct DescriptorDescription: Equatable {
    var uuid: String
    var flags: [String] = ["read"]
}

/// The attributes of one server with their handles.
///
/// Handles are reused only on request, as by peers that register the same services again.
struct AttributeDatabase: Equatable {
    struct Service: Equatable {
        var handle: UInt16
        var lastHandle: UInt16
        var uuid: String
        var isPrimary: Bool
        var includes: [UInt16]
        var characteristics: [Characteristic]
        /// Distinguishes a service from a later registration with the same content and handles.
        var registration: Int

        /// Whether service discovery finds no difference.
        func looksLike(_ other: Service) -> Bool {
            var same = other
            same.registration = registration
            return self == same
        }
    }

    struct Characteristic: Equatable {
        /// The handle of the declaration; the value has the next handle.
        var handle: UInt16
        var uuid: String
        var flags: [String]
        var descriptors: [Descriptor]
        var knownValue: [UInt8]

        var valueHandle: UInt16 { handle + 1 }
    }

    struct Descriptor: Equatable {
        var handle: UInt16
        var uuid: String
        var flags: [String]
    }

    private(set) var services: [Service] = []
    private var nextHandle: Int = 1
    private var lastRegistration = 0

    static let clientConfiguration = "00002902-0000-1000-8000-00805f9b34fb"
    static let extendedProperties = "00002900-0000-1000-8000-00805f9b34fb"

    /// Assigns handles to a service, after all others or from `first` on.
    ///
    /// - Returns: The service, or `nil` if no handles are left or one of them is in use.
    @discardableResult
    mutating func add(_ description: ServiceDescription, at first: UInt16? = nil) -> Service? {
        var next = first.map(Int.init) ?? nextHandle
        func take() -> UInt16? {
            defer { next += 1 }
            return UInt16(exactly: next)
        }
        guard let handle = take() else { return nil }
        // Each inclusion is an attribute (Core Specification, Vol 3, Part G, 3.2).
        for _ in description.includes where take() == nil { return nil }
        var characteristics: [Characteristic] = []
        for characteristic in description.characteristics {
            guard let declaration = take(), take() != nil else { return nil }
            var descriptors: [Descriptor] = []
            for descriptor in Self.automaticDescriptors(characteristic.flags)
                + characteristic.descriptors
            {
                guard let handle = take() else { return nil }
                descriptors.append(
                    Descriptor(handle: handle, uuid: descriptor.uuid, flags: descriptor.flags)
                )
            }
            characteristics.append(
                Characteristic(
                    handle: declaration,
                    uuid: characteristic.uuid,
                    flags: characteristic.flags,
                    descriptors: descriptors,
                    knownValue: characteristic.knownValue
                )
            )
        }
        let last = UInt16(next - 1)
        // Handles after all others are always free; a search would be slow for a device with many services.
        let isBehindAll = handle >= nextHandle
        let isInUse =
            !isBehindAll && services.contains { $0.handle <= last && handle <= $0.lastHandle }
        guard handle > 0, !isInUse else { return nil }
        lastRegistration += 1
        let service = Service(
            handle: handle,
            lastHandle: last,
            uuid: description.uuid,
            isPrimary: description.isPrimary,
            includes: description.includes,
            characteristics: characteristics,
            registration: lastRegistration
        )
        let place = isBehindAll ? nil : services.firstIndex { $0.handle > last }
        services.insert(service, at: place ?? services.count)
        nextHandle = max(nextHandle, next)
        return service
    }

    /// Removes a service; its handles stay unused unless `add` requests them.
    mutating func remove(_ handle: UInt16) {
        services.removeAll { $0.handle == handle }
    }

    /// Registers a service again with the same handles.
    mutating func renew(_ handle: UInt16) {
        guard let index = services.firstIndex(where: { $0.handle == handle }) else { return }
        lastRegistration += 1
        services[index].registration = lastRegistration
    }

    private static func automaticDescriptors(_ flags: [String]) -> [DescriptorDescription] {
        var descriptors: [DescriptorDescription] = []
        let visible = CharacteristicFlags.visible(flags)
        if visible.contains("extended-properties") {
            descriptors.append(DescriptorDescription(uuid: extendedProperties))
        }
        if visible.contains("notify") || visible.contains("indicate") {
            let flags = ["read", "write"]
            descriptors.append(DescriptorDescription(uuid: clientConfiguration, flags: flags))
        }
        return descriptors
    }
}
