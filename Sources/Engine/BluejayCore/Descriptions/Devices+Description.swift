private typealias Text = DescriptionText

extension KnownPeripheral: CustomStringConvertible, CustomDebugStringConvertible {
    /// Such as `Lamp (C4:7C:8D:6A:1F:02), connected, paired`.
    public var description: String {
        Text.line(
            "\(identifier)",
            isConnected ? "connected" : nil,
            isBonded ? "bonded" : isPaired ? "paired" : nil,
            isTrusted ? "trusted" : nil,
            Text.number(rssi, "dBm")
        )
    }

    /// The description with the services.
    public var debugDescription: String {
        Text.line(description, Text.list("services", services.map(\.namedText)))
    }
}

extension BluetoothAdapter.Features: CustomStringConvertible {
    /// Such as `central, peripheral`.
    public var description: String {
        let names: [(BluetoothAdapter.Features, String)] = [
            (.central, "central"), (.peripheral, "peripheral"),
            (.centralAndPeripheral, "central and peripheral"), (.advertising, "advertising"),
            (.advertisementMonitors, "advertisement monitors"),
        ]
        let present = names.filter { contains($0.0) }.map(\.1)
        return present.isEmpty ? "none" : present.joined(separator: ", ")
    }
}

extension BluetoothAdapter: CustomDebugStringConvertible {
    /// All fields.
    public var debugDescription: String { Text.all(self) }
}

extension DeviceInformation: CustomStringConvertible, CustomDebugStringConvertible {
    /// Such as `Polar H10, firmware 3.1`, without control characters.
    public var description: String {
        let names = [manufacturer, model].compactMap { $0?.displayText }.joined(separator: " ")
        let text = Text.line(
            names.isEmpty ? nil : names,
            firmwareRevision.map { "firmware \($0.displayText)" },
            serialNumber.map { "serial number \($0.displayText)" }
        )
        return text.isEmpty ? "no device information" : text
    }

    /// All fields, without control characters.
    public var debugDescription: String { Text.all(self) }
}

extension PlugAndPlayIdentifier: CustomStringConvertible {
    /// Such as `vendor 1D6B, product 0246, version 0213`.
    public var description: String {
        func text(_ number: UInt16) -> String {
            Hexadecimal.text(UInt64(number), digits: 4, isUppercase: true)
        }
        return "vendor \(text(vendor)), product \(text(product)), version \(text(version))"
    }
}

// The field `description` leaves no name for a shorter text.
extension PresentationFormat: CustomDebugStringConvertible {
    /// All fields, such as `format 14, exponent -2, unit 272F, namespace 1, description 0000`.
    public var debugDescription: String {
        func text(_ number: UInt16) -> String {
            Hexadecimal.text(UInt64(number), digits: 4, isUppercase: true)
        }
        return Text.line(
            "format \(format.rawValue)",
            "exponent \(exponent)",
            "unit \(text(unit))",
            "namespace \(namespace)",
            "description \(text(description))"
        )
    }
}
