internal import BluejayBlueZ
internal import BluejayCore
internal import BluejayDBus
internal import BluejayGLib
internal import Foundation

/// One advertisement on the bus.
///
/// A property that is not wanted is absent: bluetoothd refuses empty ones, or takes them for a wish.
final class AdvertisementPublication: Publishable {
    let manager = BlueZ.advertisingManager
    let kind = "Advertisement"
    let path: ObjectPath
    private let advertisement: LocalAdvertisement
    private let clock: any EventClock
    /// When its time is over; nil before it was on the air, and for one without a limit.
    private var end: Duration?

    /// Registers and withdraws it.
    var publication: Publication?

    init(_ advertisement: LocalAdvertisement, at path: ObjectPath, clock: any EventClock) {
        self.advertisement = advertisement
        self.path = path
        self.clock = clock
    }

    func export(on objects: ObjectServer) {
        // What is left of its time is asked for at each registration.
        let properties = Self.properties(of: advertisement).map { property in
            BusProperty(
                property.name,
                property.value.signature,
                get: { [weak self] in
                    property.name == "Timeout" ? self?.remaining : property.value
                }
            )
        }
        let release = BusMethod("Release") { [weak self] call in
            call.reply()
            guard let self else { return }
            // bluetoothd lets all of them go, too, before it exits.
            publication?.released(isFinal: isOver)
        }
        objects.export(
            [BusInterface(BlueZ.advertisement, properties: properties, methods: [release])],
            at: path
        )
    }

    func unexport(from objects: ObjectServer) {
        objects.unexport(path)
    }

    func registered() {
        if end == nil { end = advertisement.timeout.map { clock.now + $0 } }
    }

    func forget() {}

    // bluetoothd counts whole seconds, from a moment before its answer came.
    var isOver: Bool { end.map { $0 - clock.now < .seconds(1) } ?? false }

    private var remaining: BusValue? {
        let left = end.map { $0 - clock.now } ?? advertisement.timeout
        return left.map { Self.seconds(max($0, .seconds(1))) }
    }

    /// The properties of `LEAdvertisement1`.
    static func properties(of advertisement: LocalAdvertisement) -> BusProperties {
        var properties: BusProperties = [
            ("Type", .string(advertisement.isConnectable ? "peripheral" : "broadcast"))
        ]
        func add(_ name: String, _ value: BusValue?) {
            if let value { properties.append((name, value)) }
        }
        let uuids = advertisement.serviceUUIDs.map(\.canonicalText)
        add("ServiceUUIDs", uuids.isEmpty ? nil : .strings(uuids))
        add("ManufacturerData", manufacturerData(advertisement))
        add("ServiceData", serviceData(advertisement))
        add("LocalName", advertisement.localName.map { .string($0) })
        add("Appearance", advertisement.appearance.map { .uint16($0) })
        add("Includes", advertisement.includesTxPower ? .strings(["tx-power"]) : nil)
        let isDiscoverable = AdvertisementLayout.isDiscoverable(advertisement)
        add("Discoverable", isDiscoverable ? .boolean(true) : nil)
        if let interval = advertisement.interval {
            add("MinInterval", .uint32(milliseconds(interval.lowerBound)))
            add("MaxInterval", .uint32(milliseconds(interval.upperBound)))
        }
        add("Timeout", advertisement.timeout.map(seconds))
        return properties
    }

    private static func manufacturerData(_ advertisement: LocalAdvertisement) -> BusValue? {
        guard !advertisement.manufacturerData.isEmpty else { return nil }
        let entries = advertisement.manufacturerData.sorted { $0.key < $1.key }.map {
            BusEntry(.uint16($0.key), .variant(.bytes([UInt8]($0.value))))
        }
        return .dictionary(entries, key: "q", value: "v")
    }

    private static func serviceData(_ advertisement: LocalAdvertisement) -> BusValue? {
        guard !advertisement.serviceData.isEmpty else { return nil }
        return .properties(
            advertisement.serviceData.map { uuid, data in
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
