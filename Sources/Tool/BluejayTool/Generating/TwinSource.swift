import BluejayDeviceFile

/// The source of the simulated twin.
struct TwinSource {
    let device: GeneratedDevice

    var lines: [String] {
        ["BluejayTesting", device.typeName].sorted().map { "import \($0)" } + [
            "",
            "/// The simulated device, with the attributes and the values of the device file.",
            "enum \(device.twinName) {", "    /// The address of the simulated device.",
            "    static let address = \"\(device.address)\"", "",
            "    /// Creates the device for one simulated BlueZ.",
            "    static func makeDevice() -> SimulatedDevice {",
        ] + body + ["        return device", "    }", "}"] + recorded
    }

    private var body: [String] {
        let file = device.file
        var arguments: [(String?, SwiftExpression)] = [("address", .text("address"))]
        if file.address?.isRandom == false { arguments.append(("isRandom", .text("false"))) }
        if file.name != nil { arguments.append(("name", .text("\(device.typeName).name"))) }
        if !file.advertises.isEmpty {
            let uuids = file.advertises.map { SwiftExpression.text("\"\($0)\"") }
            arguments.append(("advertising", .array(uuids)))
        }
        return SwiftExpression.call("SimulatedDevice", arguments.map(SwiftArgument.init))
            .lines("let device = ", at: 8) + pairing + manufacturerData
            + device.services.flatMap { service($0).lines(at: 8) }
    }

    /// A device whose attributes require an authenticated link shows a passkey.
    private var pairing: [String] {
        let properties = device.characteristics.flatMap(\.file.properties)
        let isAuthenticated = properties.contains {
            $0.hasPrefix("encrypt-authenticated-") || $0.hasPrefix("secure-")
        }
        return isAuthenticated ? ["        device.pairing = .passkey(123_456)"] : []
    }

    private var manufacturerData: [String] {
        device.file.manufacturerData.sorted { $0.key < $1.key }.flatMap { company, bytes in
            let digits = HexDigits.text([UInt8(company >> 8), UInt8(company & 0xFF)]).uppercased()
            return SwiftExpression.call(
                "device.setManufacturerData",
                (nil, .text("0x\(digits)")),
                (nil, SwiftText.bytes(bytes))
            ).lines(at: 8)
        }
    }

    // MARK: Attributes

    private func service(_ service: GeneratedService) -> SwiftExpression {
        var arguments: [(String?, SwiftExpression)] = [
            (nil, .text("\"\(service.file.uuid)\"")),
            (nil, .array(service.characteristics.map(characteristic))),
        ]
        if !service.file.isPrimary { arguments.append(("isPrimary", .text("false"))) }
        return .call("device.addService", arguments.map(SwiftArgument.init))
    }

    private func characteristic(_ one: GeneratedCharacteristic) -> SwiftExpression {
        let value = one.file.value.map { _ in SwiftExpression.text("Recorded.\(one.name)") }
        let sent = SwiftExpression.text(
            one.notifications.isEmpty ? "[]" : "Recorded.\(one.plural)"
        )
        let behavior =
            if let value, one.notifications.isEmpty {
                SwiftExpression.call(".value", (nil, value))
            } else {
                SwiftExpression.call(".replays", (nil, sent), ("holding", value ?? .text("nil")))
            }
        var arguments: [(String?, SwiftExpression)] = [
            (nil, .text("\"\(one.file.uuid)\"")),
            (nil, .array(one.file.properties.map { .text("\"\($0)\"") })),
            (nil, behavior),
        ]
        if !one.file.descriptors.isEmpty {
            let descriptors = one.file.descriptors.enumerated().map { number, own in
                let name = "Recorded.\(Self.descriptor(number, of: one))"
                let value = Self.isLong(own.value) ? .text(name) : SwiftText.value(own.value)
                return SwiftExpression.call("", (nil, .text("\"\(own.uuid)\"")), (nil, value))
            }
            arguments.append(("descriptors", .array(descriptors)))
        }
        return .call("ScriptedCharacteristic", arguments.map(SwiftArgument.init))
    }

    private static func isLong(_ value: [UInt8]) -> Bool {
        value.count > 4 && !(value.count <= 24 && value.allSatisfy { (0x20...0x7E).contains($0) })
    }

    private static func descriptor(_ number: Int, of one: GeneratedCharacteristic) -> String {
        "\(one.name)Descriptor\(number)"
    }

    // MARK: Values

    private var recorded: [String] {
        let constants = device.characteristics.flatMap { one in
            [value(of: one), notifications(of: one)] + descriptors(of: one)
        }.filter { !$0.isEmpty }
        guard !constants.isEmpty else { return [] }
        return [
            "", "extension \(device.twinName) {", "    /// The values of the device file.",
            "    enum Recorded {",
        ] + constants.joined(separator: [""]) + ["    }", "}"]
    }

    private func value(of one: GeneratedCharacteristic) -> [String] {
        guard let value = one.file.value else { return [] }
        return ["        /// The value of \(one.title)."]
            + SwiftText.value(value).lines("static let \(one.name): [UInt8] = ", at: 8)
    }

    private func notifications(of one: GeneratedCharacteristic) -> [String] {
        guard !one.notifications.isEmpty else { return [] }
        let values = one.notifications.map { notification in
            SwiftExpression.call(
                "TimedValue",
                ("at", .text(".milliseconds(\(notification.milliseconds))")),
                (nil, SwiftText.bytes(notification.value))
            )
        }
        let count = one.omittedNotifications
        let comment = count == 0 ? [] : ["        // The file has \(count) more."]
        return ["        /// The notifications of \(one.title)."] + comment
            + SwiftExpression.array(values).lines(
                "static let \(one.plural): [TimedValue] = ",
                at: 8
            )
    }

    private func descriptors(of one: GeneratedCharacteristic) -> [[String]] {
        one.file.descriptors.enumerated().map { number, own in
            guard Self.isLong(own.value) else { return [] }
            let name = Self.descriptor(number, of: one)
            return ["        /// The descriptor `\(own.uuid)` of \(one.title)."]
                + SwiftText.value(own.value).lines("static let \(name): [UInt8] = ", at: 8)
        }
    }
}
