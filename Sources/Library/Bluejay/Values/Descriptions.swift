internal import BluejayCore
internal import FoundationEssentials

private typealias Text = DescriptionText

// `print` of an array shows the debug descriptions of its elements, so both are on one line.

extension PeripheralCharacteristic: CustomStringConvertible, CustomDebugStringConvertible {
    /// Such as `Heart Rate Measurement (2A37): notify`.
    public var description: String { "\(identifier.namedText): \(properties)" }

    /// The description with the service and the descriptors.
    public var debugDescription: String {
        Text.line(
            "\(identifier.namedText) of \(identifier.service.namedText): \(properties)",
            Text.list("descriptors", descriptors.map(\.namedText))
        )
    }
}

extension PeripheralService: CustomStringConvertible, CustomDebugStringConvertible {
    /// Such as `Heart Rate (180D), 3 characteristics`.
    public var description: String {
        let count = characteristics.count
        return Text.line(
            identifier.namedText,
            isPrimary ? nil : "secondary",
            "\(count) characteristic\(count == 1 ? "" : "s")"
        )
    }

    /// The description with the characteristics and the included services.
    public var debugDescription: String {
        let list = characteristics.map { $0.description + descriptors(of: $0) }
        let text = Text.line(
            identifier.namedText,
            isPrimary ? nil : "secondary",
            Text.list("includes", includedServices.map(\.namedText))
        )
        return list.isEmpty ? text : "\(text) [\(list.joined(separator: "; "))]"
    }

    private func descriptors(of characteristic: PeripheralCharacteristic) -> String {
        Text.list(" with", characteristic.descriptors.map(\.namedText)) ?? ""
    }
}

extension Advertisement: CustomStringConvertible, CustomDebugStringConvertible {
    /// Such as `"Polar H10", services Heart Rate (180D)`, without control characters.
    public var description: String {
        let text = Text.line(
            localName.map { "\"\($0.displayText)\"" },
            Text.list("services", serviceUUIDs.map(\.namedText)),
            Text.list("data of", serviceData.keys.map(\.namedText).sorted()),
            Text.list("data of company", manufacturerData.keys.sorted().map(Self.company))
        )
        return text.isEmpty ? "no data" : text
    }

    /// All fields, with the bytes of the data.
    public var debugDescription: String {
        let text = Text.line(
            localName.map { "\"\($0.displayText)\"" },
            Text.list("services", serviceUUIDs.map(\.namedText)),
            Text.list("solicited services", solicitedServiceUUIDs.map(\.namedText)),
            fields(serviceData.map { ("data of \($0.key.namedText)", $0.value) }),
            fields(manufacturerData.map { ("data of company \(Self.company($0.key))", $0.value) }),
            fields(rawFields.map { ("field 0x\(hexadecimal(UInt64($0.key), 2))", $0.value) }),
            txPower.map { "transmit power \($0) dBm" },
            appearance.map { "appearance \($0)" },
            flags.map { "flags \($0)" },
            isConnectable.map { $0 ? "connectable" : "not connectable" }
        )
        return text.isEmpty ? "no data" : text
    }

    private func fields(_ fields: [(label: String, data: Data)]) -> String? {
        let texts = fields.map { "\($0.label) \(Text.bytes($0.data))" }.sorted()
        return texts.isEmpty ? nil : texts.joined(separator: ", ")
    }

    private static func company(_ number: UInt16) -> String {
        "0x\(hexadecimal(UInt64(number), 4))"
    }
}

extension ScanDiscovery: CustomStringConvertible, CustomDebugStringConvertible {
    /// Such as `Polar H10 (C4:7C:8D:6A:1F:02), -60 dBm, Heart Rate (180D)`, without control characters.
    public var description: String {
        let services = advertisement.serviceUUIDs.map(\.namedText)
        return Text.line(
            "\(peripheralIdentifier)",
            rssi == 127 ? nil : "\(rssi) dBm",
            isConnected ? "connected" : nil,
            services.isEmpty ? nil : services.joined(separator: ", ")
        )
    }

    /// The description with all of the advertisement.
    public var debugDescription: String {
        Text.line(
            "\(peripheralIdentifier)",
            rssi == 127 ? "unknown signal strength" : "\(rssi) dBm",
            isConnected ? "connected" : nil,
            advertisement.debugDescription
        )
    }
}

extension PeripheralDetails: CustomStringConvertible, CustomDebugStringConvertible {
    /// Such as `Lamp (C4:7C:8D:6A:1F:02), Light Fixtures, bonded`, without control characters.
    public var description: String {
        Text.line(
            "\(peripheral)",
            appearance?.description,
            isBonded == true ? "bonded" : isPaired ? "paired" : nil,
            isTrusted ? "trusted" : nil
        )
    }

    /// All fields, without control characters.
    public var debugDescription: String {
        let data = manufacturerData.sorted { $0.key < $1.key }
        return Text.line(
            description,
            name.map { "name \"\($0.displayText)\"" },
            "alias \"\(alias.displayText)\"",
            addressClass.map { "address class \($0)" },
            Text.list("services", serviceUUIDs.map(\.namedText)),
            Text.list(
                "data of company",
                data.map { "0x\(hexadecimal(UInt64($0.key), 4)) \(Text.bytes($0.value))" }
            )
        )
    }
}

private func hexadecimal(_ number: UInt64, _ digits: Int) -> String {
    Hexadecimal.text(number, digits: digits, isUppercase: true)
}
