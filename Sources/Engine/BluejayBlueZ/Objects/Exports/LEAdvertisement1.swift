package import BluejayCore
package import BluejayDBus
package import FoundationEssentials

/// `org.bluez.LEAdvertisement1`: an advertisement, in the form that bluetoothd reads.
///
/// Unused properties are absent: bluetoothd rejects empty values, or treats them as a request.
package struct LEAdvertisement1: Equatable {
    package static let interface = "org.bluez.LEAdvertisement1"

    /// Whether centrals can connect; otherwise the advertisement is a broadcast.
    package var isConnectable = true
    /// Whether the advertisement contains flags.
    package var isDiscoverable = false
    package var serviceUUIDs: [BluetoothUUID] = []
    package var manufacturerData: [UInt16: Data] = [:]
    package var serviceData: [BluetoothUUID: Data] = [:]
    package var localName: String?
    package var appearance: UInt16?
    package var includesTxPower = false
    /// The advertising interval, which bluetoothd reads in whole milliseconds.
    package var interval: ClosedRange<Duration>?
    /// The time limit, which bluetoothd reads in whole seconds.
    package var timeout: Duration?
    /// In dBm, for adapters with adjustable power.
    package var txPower: Int16?

    package init() {}

    /// The D-Bus interface to export.
    ///
    /// - Parameters:
    ///   - timeout: Returns the remaining time when bluetoothd reads the property; `nil` is no limit.
    ///   - canSetTxPower: Whether the adapter can set the transmit power.
    ///   - release: Called when bluetoothd releases the advertisement.
    /// - Returns: The interface with the properties that are set.
    func busInterface(
        timeout: @escaping () -> Duration?,
        canSetTxPower: @escaping () -> Bool,
        release: @escaping () -> Void
    ) -> BusInterface {
        let exported = properties.map { property in
            BusProperty(
                property.name,
                property.value.signature,
                get: {
                    switch property.name {
                    case "Timeout": timeout().map { Self.seconds($0) }
                    case "TxPower": canSetTxPower() ? property.value : nil
                    default: property.value
                    }
                }
            )
        }
        let method = BusMethod("Release") { call in
            call.reply()
            release()
        }
        return BusInterface(Self.interface, properties: exported, methods: [method])
    }

    /// The properties, with the full timeout.
    package var properties: BusProperties {
        var properties: BusProperties = [
            ("Type", .string(isConnectable ? "peripheral" : "broadcast"))
        ]
        func add(_ name: String, _ value: BusValue?) {
            if let value { properties.append((name, value)) }
        }
        let uuids = serviceUUIDs.map(\.canonicalText)
        add("ServiceUUIDs", uuids.isEmpty ? nil : .strings(uuids))
        add("ManufacturerData", manufacturerValue)
        add("ServiceData", serviceValue)
        add("LocalName", localName.map { .string($0) })
        add("Appearance", appearance.map { .uint16($0) })
        add("Includes", includesTxPower ? .strings(["tx-power"]) : nil)
        add("Discoverable", isDiscoverable ? .boolean(true) : nil)
        if let interval {
            add("MinInterval", .uint32(Self.milliseconds(interval.lowerBound)))
            add("MaxInterval", .uint32(Self.milliseconds(interval.upperBound)))
        }
        add("TxPower", txPower.map { .int16($0) })
        add("Timeout", timeout.map { Self.seconds($0) })
        return properties
    }

    private var manufacturerValue: BusValue? {
        guard !manufacturerData.isEmpty else { return nil }
        let entries = manufacturerData.sorted { $0.key < $1.key }.map {
            BusEntry(.uint16($0.key), .variant(.bytes([UInt8]($0.value))))
        }
        return .dictionary(entries, key: "q", value: "v")
    }

    private var serviceValue: BusValue? {
        guard !serviceData.isEmpty else { return nil }
        return .properties(
            serviceData.map { uuid, data in
                (uuid.canonicalText, .bytes([UInt8](data)))
            }.sorted { $0.0 < $1.0 }
        )
    }

    private static func seconds(_ duration: Duration) -> BusValue {
        .uint16(UInt16(clamping: duration.components.seconds))
    }

    private static func milliseconds(_ duration: Duration) -> UInt32 {
        let (seconds, attoseconds) = duration.components
        return UInt32(clamping: seconds * 1_000 + attoseconds / 1_000_000_000_000_000)
    }
}
