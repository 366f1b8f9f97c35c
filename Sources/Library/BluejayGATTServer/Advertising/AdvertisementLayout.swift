internal import BluejayCore
internal import FoundationEssentials

/// The sizes of the parts of an advertisement (Core Specification Supplement, Part A).
enum AdvertisementLayout {
    /// The capacity of a legacy packet, the only kind that Bluetooth 4 scanners receive.
    static let capacity = 31

    /// Each part has a length byte and a type byte before its content.
    static func length(_ advertisement: LocalAdvertisement) -> Int {
        var length = 0
        if isDiscoverable(advertisement) { length += 2 + 1 }
        length += list(advertisement.serviceUUIDs.filter(isShort), width: 2)
        length += list(advertisement.serviceUUIDs.filter { !isShort($0) }, width: 16)
        for data in advertisement.manufacturerData.values { length += 2 + 2 + data.count }
        for (uuid, data) in advertisement.serviceData {
            length += 2 + (isShort(uuid) ? 2 : 16) + data.count
        }
        if advertisement.appearance != nil { length += 2 + 2 }
        if advertisement.includesTxPower { length += 2 + 1 }
        return length
    }

    static func check(_ advertisement: LocalAdvertisement) throws {
        for uuid in advertisement.serviceUUIDs { try uuid.validated() }
        for uuid in advertisement.serviceData.keys { try uuid.validated() }
        try checkName(advertisement.localName)
        let length = length(advertisement)
        guard length <= capacity else {
            throw BluejayError.advertisementTooLong(length: length, limit: capacity)
        }
        try checkTimes(advertisement)
        if let power = advertisement.txPower, !(-127...20).contains(power) {
            throw BluejayError.invalidAdvertisement("the power must lie between -127 and 20 dBm")
        }
    }

    /// Whether the flags are sent; a broadcast must not contain them.
    static func isDiscoverable(_ advertisement: LocalAdvertisement) -> Bool {
        advertisement.isDiscoverable && advertisement.isConnectable
    }

    private static func checkName(_ name: String?) throws {
        guard let name else { return }
        guard !name.utf8.contains(0) else {
            throw BluejayError.invalidAdvertisement("the name holds a NUL character")
        }
        let limit = LocalAdvertisement.maximumNameLength
        guard name.utf8.count <= limit else {
            throw BluejayError.nameTooLong(length: name.utf8.count, limit: limit)
        }
    }

    private static func checkTimes(_ advertisement: LocalAdvertisement) throws {
        if let interval = advertisement.interval {
            let allowed: ClosedRange<Duration> = .milliseconds(20)...(.seconds(10_485))
            guard allowed.contains(interval.lowerBound), allowed.contains(interval.upperBound)
            else {
                throw BluejayError.invalidAdvertisement(
                    "the interval must lie between 20 ms and 10,485 s"
                )
            }
        }
        if let timeout = advertisement.timeout {
            guard timeout >= .seconds(1), timeout <= .seconds(65_535) else {
                throw BluejayError.invalidAdvertisement(
                    "the timeout must lie between 1 s and 65,535 s"
                )
            }
        }
    }

    private static func list(_ uuids: [BluetoothUUID], width: Int) -> Int {
        uuids.isEmpty ? 0 : 2 + width * uuids.count
    }

    // bluetoothd sends a 32-bit UUID as a 128-bit UUID.
    private static func isShort(_ uuid: BluetoothUUID) -> Bool {
        uuid.uuidString.utf8.count == 4
    }
}
