extension DeviceFile.Service: Encodable {
    /// The Generic Access and Generic Attribute services.
    package static let reserved = ["1800", "1801"]

    init(_ node: FileNode, at place: FilePlace) throws(DeviceFileError) {
        let fields = try ObjectFields(
            node,
            at: place,
            known: ["uuid", "primary", "characteristics"]
        )
        self.init(
            uuid: try fields.uuid(
                "uuid",
                except: Self.reserved,
                because: "is reserved: every device has this service"
            ),
            isPrimary: try fields.optionalBoolean("primary") ?? true,
            characteristics: try fields.optionalList("characteristics") {
                node,
                place throws(DeviceFileError) in
                try DeviceFile.Characteristic(node, at: place)
            }
        )
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: FieldKey.self)
        try container.encode(uuid.description, forKey: FieldKey("uuid"))
        if !isPrimary { try container.encode(false, forKey: FieldKey("primary")) }
        try container.encode(characteristics, forKey: FieldKey("characteristics"))
    }
}

extension DeviceFile.Characteristic: Encodable {
    /// All property names, in BlueZ's order.
    package static let possibleProperties: [String] =
        [
            "broadcast", "read", "write-without-response", "write", "notify", "indicate",
            "authenticated-signed-writes", "reliable-write", "writable-auxiliaries",
        ]
        + ["encrypt-", "encrypt-authenticated-", "secure-"].flatMap { level in
            ["read", "write", "notify", "indicate"].map { level + $0 }
        } + ["authorize"]

    init(_ node: FileNode, at place: FilePlace) throws(DeviceFileError) {
        let fields = try ObjectFields(
            node,
            at: place,
            known: ["uuid", "properties", "value", "text", "descriptors"]
        )
        guard fields.has("properties") else { throw fields.failure("properties", "is missing") }
        self.init(
            uuid: try fields.uuid("uuid", except: [], because: ""),
            properties: try fields.optionalTexts("properties"),
            value: try ValueText.read(fields),
            descriptors: try fields.optionalList("descriptors") {
                node,
                place throws(DeviceFileError) in
                try DeviceFile.Descriptor(node, at: place)
            }
        )
        guard !properties.isEmpty else { throw fields.failure("properties", "must not be empty") }
        for (index, word) in properties.enumerated() {
            guard Self.possibleProperties.contains(word) else {
                let words = Self.possibleProperties.joined(separator: ", ")
                throw fields.failure(
                    "properties",
                    at: index,
                    "is not a property: \(word); use one of \(words)"
                )
            }
            guard !properties[..<index].contains(word) else {
                throw fields.failure("properties", at: index, "is a duplicate: \(word)")
            }
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: FieldKey.self)
        try container.encode(uuid.description, forKey: FieldKey("uuid"))
        try container.encode(properties, forKey: FieldKey("properties"))
        if let value { try ValueText.write(value, to: &container) }
        if !descriptors.isEmpty {
            try container.encode(descriptors, forKey: FieldKey("descriptors"))
        }
    }
}

extension DeviceFile.Descriptor: Encodable {
    /// The descriptors that follow from the properties of the characteristic.
    package static let reserved = ["2900", "2902"]

    init(_ node: FileNode, at place: FilePlace) throws(DeviceFileError) {
        let fields = try ObjectFields(node, at: place, known: ["uuid", "value", "text"])
        self.init(
            uuid: try fields.uuid(
                "uuid",
                except: Self.reserved,
                because: "is reserved: this descriptor follows from the properties"
            ),
            value: try ValueText.required(fields)
        )
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: FieldKey.self)
        try container.encode(uuid.description, forKey: FieldKey("uuid"))
        try ValueText.write(value, to: &container)
    }
}
