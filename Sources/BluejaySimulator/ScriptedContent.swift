internal import OrderedCollections

/// Turns what a user wrote about a device into what goes over the air.
enum ScriptedContent {
    static func advertisement(_ builder: DeviceBuilder) throws -> Advertisement {
        var result = Advertisement()
        if builder.isDiscoverable { result.flags = 0x06 }
        result.name = builder.name
        result.serviceUUIDs = try builder.advertisedServices.map(uuid)
        for (company, data) in builder.manufacturerData.sorted(by: { $0.key < $1.key }) {
            result.manufacturerData[company] = data
        }
        for (service, data) in builder.serviceData.sorted(by: { $0.key < $1.key }) {
            result.serviceData[try uuid(service)] = data
        }
        result.appearance = builder.appearance
        result.isConnectable = builder.isConnectable
        guard result.lengthInBytes <= Advertisement.maximumLengthInBytes else {
            throw InvalidDevice(
                description: "the advertisement has \(result.lengthInBytes) bytes, 31 are possible"
            )
        }
        return result
    }

    static func description(_ service: SimulatedService) throws -> ServiceDescription {
        let characteristics = try service.characteristics.map { one in
            let unknown = one.flags.filter { !CharacteristicFlags.known.contains($0) }
            guard unknown.isEmpty else {
                throw InvalidDevice(description: "\(unknown[0]) is not a flag")
            }
            return CharacteristicDescription(
                uuid: try uuid(one.uuid),
                flags: one.flags,
                descriptors: try one.descriptors.map {
                    DescriptorDescription(uuid: try uuid($0.uuid))
                }
            )
        }
        return ServiceDescription(uuid: try uuid(service.uuid), characteristics: characteristics)
    }

    /// The answer to a read or a read with an offset (Vol 3, Part F, 3.4.4.5).
    static func part(of value: [UInt8], _ offset: Int, mtu: Int) -> ATTResult {
        guard offset > 0 else { return .success(value) }
        guard offset <= value.count else { return .failure(.invalidOffset) }
        guard value.count > mtu - 1 else { return .failure(.notLong) }
        return .success(Array(value.dropFirst(offset)))
    }

    private static func uuid(_ text: String) throws -> String {
        guard let long = UUIDText.long(text) else {
            throw InvalidDevice(description: "\(text) is not a UUID")
        }
        return long
    }
}
