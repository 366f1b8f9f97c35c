package import FoundationEssentials

extension DeviceFile: Decodable {
    /// Which form of the format is written, and read.
    static let version = 1

    /// Reads the bytes of a file.
    ///
    /// - Throws: ``DeviceFileError``, which names the place.
    package init(json: Data) throws(DeviceFileError) {
        do {
            self = try JSONDecoder().decode(DeviceFile.self, from: json)
        } catch let error as DeviceFileError {
            throw error
        } catch let error as DecodingError {
            throw DeviceFileError(error)
        } catch {
            throw DeviceFileError(place: "", "cannot be read: \(error)")
        }
    }

    /// Reads the object of a file.
    ///
    /// - Throws: ``DeviceFileError``, or `DecodingError` for what is of another type.
    package init(from decoder: any Decoder) throws {
        let fields = try FileFields(
            decoder,
            known: [
                "version", "address", "addressType", "name", "advertises", "manufacturerData",
                "services", "notifications",
            ]
        )
        let version = try fields.whole("version")
        guard version == Self.version else {
            throw fields.failure("version", "is \(version); this program reads \(Self.version)")
        }
        self.init(
            address: try Self.address(fields),
            name: try fields.optional(String.self, "name"),
            advertises: try Self.advertised(fields),
            manufacturerData: try Self.manufacturerData(fields),
            services: try fields.optional([Service].self, "services") ?? []
        )
        if let name, name.isEmpty || name.utf8.count > 248 {
            throw fields.failure("name", "has \(name.utf8.count) bytes; 1 to 248 are possible")
        }
        guard advertisementLength <= Self.advertisementLimit else {
            throw fields.failure(
                "advertises",
                "and \"manufacturerData\" take \(advertisementLength) bytes of an advertisement; "
                    + "\(Self.advertisementLimit) are possible"
            )
        }
        guard attributeCount <= Self.attributeLimit else {
            throw fields.failure(
                "services",
                "have \(attributeCount) attributes; \(Self.attributeLimit) are possible"
            )
        }
        let unresolved = try fields.optional([UnresolvedNotification].self, "notifications") ?? []
        for (index, one) in unresolved.enumerated() {
            notifications.append(
                try resolved(one) { fields.failure("notifications", at: index, $0) }
            )
        }
    }

    /// The length of a legacy advertisement.
    package static let advertisementLimit = 31
    /// Handles are of 16 bits, and a device has some services by itself.
    private static let attributeLimit = 65_000

    private var attributeCount: Int {
        services.reduce(0) { sum, service in
            // A declaration and a value, and at most 2900 and 2902 beside its own.
            sum + 1 + service.characteristics.reduce(0) { $0 + 4 + $1.descriptors.count }
        }
    }

    private static func address(_ fields: FileFields) throws -> Address? {
        let type = try fields.optional(String.self, "addressType")
        guard let text = try fields.optional(String.self, "address") else {
            guard type == nil else { throw fields.failure("address", "is missing") }
            return nil
        }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 6, parts.allSatisfy({ HexDigits.bytes($0)?.count == 1 }) else {
            throw fields.failure("address", "is not like C4:7C:8D:6A:1F:02: \(text)")
        }
        guard ["public", "random", nil].contains(type) else {
            throw fields.failure("addressType", "is neither \"public\" nor \"random\"")
        }
        return Address(text: text.uppercased(), isRandom: type != "public")
    }

    private static func advertised(_ fields: FileFields) throws -> [AttributeUUID] {
        let texts = try fields.optional([String].self, "advertises") ?? []
        var uuids: [AttributeUUID] = []
        for (index, text) in texts.enumerated() {
            guard let uuid = AttributeUUID(text) else {
                throw fields.failure("advertises", at: index, FileFields.noUUID(text))
            }
            guard !uuids.contains(uuid) else {
                throw fields.failure("advertises", at: index, "is there twice: \(text)")
            }
            uuids.append(uuid)
        }
        return uuids
    }

    private static func manufacturerData(_ fields: FileFields) throws -> [UInt16: [UInt8]] {
        let entries = try fields.optional([CompanyData].self, "manufacturerData") ?? []
        var data: [UInt16: [UInt8]] = [:]
        for (index, entry) in entries.enumerated() {
            guard data.updateValue(entry.value, forKey: entry.company) == nil else {
                throw fields.failure("manufacturerData", at: index, "is of a company that is there")
            }
        }
        return data
    }

    private func resolved(
        _ one: UnresolvedNotification,
        orFail failure: (String) -> DeviceFileError
    ) throws -> Notification {
        let places = places(one.characteristic)
        guard let place = places.first else {
            throw failure("is of a characteristic that is not there: \(one.characteristic)")
        }
        guard places.count == 1 else {
            let names = places.map(name(of:)).joined(separator: ", ")
            throw failure("may be of \(names); write one of these")
        }
        guard let characteristic = self[place], characteristic.canSubscribe else {
            throw failure("is of \(one.characteristic), which neither notifies nor indicates")
        }
        return Notification(place: place, milliseconds: one.milliseconds, value: one.value)
    }
}

extension DeviceFile.Characteristic {
    /// Whether its properties let somebody subscribe.
    package var canSubscribe: Bool {
        properties.contains { $0.hasSuffix("notify") || $0.hasSuffix("indicate") }
    }
}

/// An entry of `manufacturerData`.
private struct CompanyData: Decodable {
    let company: UInt16
    let value: [UInt8]

    init(from decoder: any Decoder) throws {
        let fields = try FileFields(decoder, known: ["company", "value", "text"])
        let text = try fields.required(String.self, "company")
        guard text.utf8.count == 4, HexDigits.bytes(text) != nil,
            let number = UInt16(text, radix: 16)
        else { throw fields.failure("company", "is not four hexadecimal digits: \(text)") }
        company = number
        value = try ValueText.required(fields)
    }
}

/// An entry of `notifications`, with the name that its characteristic has there.
private struct UnresolvedNotification: Decodable {
    let characteristic: String
    let milliseconds: Int
    let value: [UInt8]

    init(from decoder: any Decoder) throws {
        let fields = try FileFields(
            decoder,
            known: ["characteristic", "milliseconds", "value", "text"]
        )
        characteristic = try fields.required(String.self, "characteristic")
        milliseconds = try fields.whole("milliseconds")
        guard (0...DeviceFile.longestTime).contains(milliseconds) else {
            throw fields.failure("milliseconds", "is not 0 to \(DeviceFile.longestTime)")
        }
        value = try ValueText.required(fields)
    }
}
