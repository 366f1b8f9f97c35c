package import FoundationEssentials

extension DeviceFile {
    /// The version of the format that is written and accepted.
    static let version = 1

    /// Decodes a file in JSON.
    ///
    /// - Throws: ``DeviceFileError`` with the position and the line.
    package init(json: Data) throws(DeviceFileError) {
        try self.init(JSONText.read(json))
    }

    package init(_ node: FileNode) throws(DeviceFileError) {
        let fields = try ObjectFields(
            node,
            at: .file,
            known: [
                "version", "address", "addressType", "name", "advertises", "manufacturerData",
                "services", "notifications",
            ]
        )
        let version = try fields.whole("version")
        guard version == Self.version else {
            throw fields.failure(
                "version",
                "is \(version); this program reads version \(Self.version)"
            )
        }
        self.init(
            address: try Self.address(fields),
            name: try fields.optionalText("name"),
            advertises: try Self.advertised(fields),
            manufacturerData: try Self.manufacturerData(fields),
            services: try fields.optionalList("services") { node, place throws(DeviceFileError) in
                try Service(node, at: place)
            }
        )
        if let name, name.isEmpty || name.utf8.count > 248 {
            throw fields.failure("name", "has \(name.utf8.count) bytes; use 1 to 248")
        }
        guard advertisementLength <= Self.maximumAdvertisementLength else {
            throw fields.failure(
                "advertises",
                "and \"manufacturerData\" take \(advertisementLength) bytes of an advertisement; "
                    + "the limit is \(Self.maximumAdvertisementLength)"
            )
        }
        guard attributeCount <= Self.maximumAttributeCount else {
            throw fields.failure(
                "services",
                "have \(attributeCount) attributes; the limit is \(Self.maximumAttributeCount)"
            )
        }
        try readNotifications(fields)
    }

    private mutating func readNotifications(_ fields: ObjectFields) throws(DeviceFileError) {
        let unresolved = try fields.optionalList("notifications") {
            node,
            place throws(DeviceFileError) in
            try UnresolvedNotification(node, at: place)
        }
        guard !unresolved.isEmpty else { return }
        let names = CharacteristicNames(of: self)
        notifications.reserveCapacity(unresolved.count)
        for (index, one) in unresolved.enumerated() {
            switch resolved(one, names) {
            case .success(let notification): notifications.append(notification)
            case .failure(let problem):
                throw fields.failure("notifications", at: index, problem.message)
            }
        }
    }

    /// The size of a legacy advertisement, in bytes.
    package static let maximumAdvertisementLength = 31
    /// The most bytes of a file, enough for a recording of a million notifications.
    package static let maximumLengthInBytes = 128 << 20
    /// Handles have 16 bits, and every device has some services in addition.
    private static let maximumAttributeCount = 65_000

    private var attributeCount: Int {
        services.reduce(0) { sum, service in
            // A declaration, a value, at most 2900 and 2902, and the characteristic's other descriptors.
            sum + 1 + service.characteristics.reduce(0) { $0 + 4 + $1.descriptors.count }
        }
    }

    private static func address(_ fields: ObjectFields) throws(DeviceFileError) -> Address? {
        let type = try fields.optionalText("addressType")
        guard let text = try fields.optionalText("address") else {
            guard type == nil else { throw fields.failure("address", "is missing") }
            return nil
        }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 6, parts.allSatisfy({ HexDigits.bytes($0)?.count == 1 }) else {
            throw fields.failure("address", "is not an address like C4:7C:8D:6A:1F:02: \(text)")
        }
        guard ["public", "random", nil].contains(type) else {
            throw fields.failure("addressType", "must be \"public\" or \"random\"")
        }
        return Address(text: text.uppercased(), isRandom: type != "public")
    }

    private static func advertised(
        _ fields: ObjectFields
    ) throws(DeviceFileError) -> [AttributeUUID] {
        let texts = try fields.optionalTexts("advertises")
        var uuids: [AttributeUUID] = []
        var known: Set<AttributeUUID> = []
        for (index, text) in texts.enumerated() {
            guard let uuid = AttributeUUID(text) else {
                throw fields.failure("advertises", at: index, ObjectFields.invalidUUIDMessage(text))
            }
            guard known.insert(uuid).inserted else {
                throw fields.failure("advertises", at: index, "is a duplicate: \(text)")
            }
            uuids.append(uuid)
        }
        return uuids
    }

    private static func manufacturerData(
        _ fields: ObjectFields
    ) throws(DeviceFileError) -> [UInt16: [UInt8]] {
        let entries = try fields.optionalList("manufacturerData") {
            node,
            place throws(DeviceFileError) in
            try CompanyData(node, at: place)
        }
        var data: [UInt16: [UInt8]] = [:]
        for (index, entry) in entries.enumerated() {
            guard data.updateValue(entry.value, forKey: entry.company) == nil else {
                throw fields.failure(
                    "manufacturerData",
                    at: index,
                    "repeats the company of an earlier entry"
                )
            }
        }
        return data
    }

    /// The reason why a notification has no characteristic.
    private struct Unresolved: Error {
        let message: String
    }

    private func resolved(
        _ one: UnresolvedNotification,
        _ names: CharacteristicNames
    ) -> Result<Notification, Unresolved> {
        func failure(_ words: String) -> Result<Notification, Unresolved> {
            .failure(Unresolved(message: words))
        }
        let indexes = names.indexes(one.characteristic)
        guard let index = indexes.first else {
            return failure("names an unknown characteristic: \(one.characteristic)")
        }
        guard indexes.count == 1 else {
            let examples = indexes.prefix(10).map(names.name(of:)).joined(separator: ", ")
            let more = indexes.count > 10 ? " and \(indexes.count - 10) more" : ""
            return failure("is ambiguous; use one of \(examples)\(more)")
        }
        guard let characteristic = self[index], characteristic.canSubscribe else {
            return failure("names \(one.characteristic), which neither notifies nor indicates")
        }
        return .success(
            Notification(index: index, milliseconds: one.milliseconds, value: one.value)
        )
    }
}

extension DeviceFile.Characteristic {
    /// Whether the properties allow a subscription.
    package var canSubscribe: Bool {
        properties.contains { $0.hasSuffix("notify") || $0.hasSuffix("indicate") }
    }
}

/// An entry of `manufacturerData`.
private struct CompanyData {
    let company: UInt16
    let value: [UInt8]

    init(_ node: FileNode, at place: FilePlace) throws(DeviceFileError) {
        let fields = try ObjectFields(node, at: place, known: ["company", "value", "text"])
        let text = try fields.text("company")
        let digits = text.withoutRadix
        guard digits.utf8.count == 4, HexDigits.bytes(digits) != nil,
            let number = UInt16(digits, radix: 16)
        else { throw fields.failure("company", "is not four hexadecimal digits: \(text)") }
        company = number
        value = try ValueText.required(fields)
    }
}

/// An entry of `notifications` whose characteristic is still a name.
private struct UnresolvedNotification {
    let characteristic: String
    let milliseconds: Int
    let value: [UInt8]

    init(_ node: FileNode, at place: FilePlace) throws(DeviceFileError) {
        let fields = try ObjectFields(
            node,
            at: place,
            known: ["characteristic", "milliseconds", "value", "text"]
        )
        characteristic = try fields.text("characteristic")
        milliseconds = try fields.whole("milliseconds")
        guard (0...DeviceFile.maximumTime).contains(milliseconds) else {
            throw fields.failure("milliseconds", "must be between 0 and \(DeviceFile.maximumTime)")
        }
        value = try ValueText.required(fields)
    }
}
