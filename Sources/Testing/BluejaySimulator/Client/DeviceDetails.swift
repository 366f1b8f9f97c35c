internal import OrderedCollections

/// The details of a device that bluetoothd learns from its advertisements and services.
///
/// The methods return the names of the properties that have changed.
final class DeviceDetails {
    private(set) var name: String?
    private var alias: String?
    private(set) var rssi: Int16?
    private(set) var advertised = AdvertisingData()
    private(set) var uuids: [String] = []
    private(set) var modalias: String?
    private(set) var isConnectable = true

    /// Resets the details like a new daemon, which has received no advertisement.
    func restart() {
        rssi = nil
        advertised = AdvertisingData()
    }

    // MARK: Advertisements

    /// Stores an advertisement.
    ///
    /// - Parameters:
    ///   - advertisement: The advertisement.
    ///   - rssi: Its signal strength in dBm.
    ///   - reportsEachStrength: Whether each strength is a change; otherwise only steps of 8 dB are.
    ///   - reportsDuplicates: Whether repeated data is a change, and other data is removed.
    ///   - keepsName: Whether the name stays, as it does during a link.
    ///   - keepsServices: Whether the services stay, as they do while resolved.
    /// - Returns: The names of the changed properties.
    func receive(
        _ advertisement: AdvertisingData,
        rssi: Int16,
        reportsEachStrength: Bool = false,
        reportsDuplicates: Bool = false,
        keepsName: Bool = false,
        keepsServices: Bool = false
    ) -> [String] {
        var names: [String] = []
        if reportsEachStrength || self.rssi.map({ abs(Int($0) - Int(rssi)) >= 8 }) ?? true {
            self.rssi = rssi
            names.append("RSSI")
        }
        names += merge(
            advertisement,
            replacesData: reportsDuplicates,
            keepsName: keepsName,
            keepsServices: keepsServices
        )
        if reportsDuplicates {
            for (name, isEmpty) in [
                ("ManufacturerData", advertisement.manufacturerData.isEmpty),
                ("ServiceData", advertisement.serviceData.isEmpty),
            ] where !isEmpty && !names.contains(name) { names.append(name) }
        }
        return names
    }

    /// The names of the properties that an advertisement changes.
    ///
    /// With `replacesData`, the data of other companies and services is removed, as bluetoothd does during a
    /// discovery with `DuplicateData`; otherwise it accumulates.
    private func merge(
        _ new: AdvertisingData,
        replacesData: Bool,
        keepsName: Bool,
        keepsServices: Bool
    ) -> [String] {
        isConnectable = new.isConnectable
        var names = keepsName ? [] : setName(new.name)
        if !keepsServices { names += setUUIDs(Set(uuids).union(new.serviceUUIDs).sorted()) }
        var merged = advertised
        if replacesData {
            if !new.manufacturerData.isEmpty { merged.manufacturerData = [:] }
            if !new.serviceData.isEmpty { merged.serviceData = [:] }
            if !new.data.isEmpty { merged.data = [:] }
        }
        merged.manufacturerData.merge(new.manufacturerData) { $1 }
        merged.serviceData.merge(new.serviceData) { $1 }
        merged.data.merge(new.data) { $1 }
        if merged.manufacturerData != advertised.manufacturerData {
            names.append("ManufacturerData")
        }
        if merged.serviceData != advertised.serviceData { names.append("ServiceData") }
        if merged.data != advertised.data { names.append("AdvertisingData") }
        for (name, isNew) in [
            ("Appearance", new.appearance != nil && new.appearance != advertised.appearance),
            ("TxPower", new.transmitPower != nil && new.transmitPower != advertised.transmitPower),
            ("AdvertisingFlags", new.flags != nil && new.flags != advertised.flags),
        ] where isNew { names.append(name) }
        merged.appearance = new.appearance ?? advertised.appearance
        merged.transmitPower = new.transmitPower ?? advertised.transmitPower
        merged.flags = new.flags ?? advertised.flags
        advertised = merged
        return names
    }

    func forgetSignalStrength() -> [String] {
        guard rssi != nil else { return [] }
        rssi = nil
        return ["RSSI"]
    }

    // MARK: Names and services

    var shownName: String? { alias ?? name }

    func setAlias(_ text: String?) {
        alias = text.flatMap { $0.isEmpty ? nil : $0 }
    }

    func setName(_ received: String?) -> [String] {
        guard let new = received.flatMap(Self.readable), new != name else { return [] }
        name = new
        return alias == nil ? ["Name", "Alias"] : ["Name"]
    }

    func setUUIDs(_ sorted: [String]) -> [String] {
        guard sorted != uuids else { return [] }
        uuids = sorted
        return ["UUIDs"]
    }

    func setModalias(_ new: String?) -> [String] {
        guard let new, new != modalias else { return [] }
        modalias = new
        return ["Modalias"]
    }

    /// A received name as bluetoothd shows it, or `nil` if nothing remains.
    ///
    /// bluetoothd rejects a name with a NUL as text. It then takes the part before the NUL as ASCII,
    /// replaces all other bytes by spaces, and strips the spaces at both ends.
    private static func readable(_ name: String) -> String? {
        guard name.utf8.contains(0) else { return name.isEmpty ? nil : name }
        let space = UInt8(ascii: " ")
        var bytes = name.utf8.prefix { $0 != 0 }.map { $0 < 0x80 ? $0 : space }[...]
        bytes = bytes.drop { $0 == space }
        while bytes.last == space { bytes.removeLast() }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    /// Formats a PnP ID, for example `usb:v1D6Bp0246d0542`; returns `nil` for an unknown source.
    static func modalias(_ bytes: [UInt8]) -> String? {
        guard bytes.count == 7, bytes[0] == 1 || bytes[0] == 2 else { return nil }
        let numbers = [(2, 1), (4, 3), (6, 5)].map { high, low in
            [bytes[high], bytes[low]].map { HexNumber.text($0, digits: 2) }.joined().uppercased()
        }
        let source = bytes[0] == 1 ? "bluetooth" : "usb"
        return "\(source):v\(numbers[0])p\(numbers[1])d\(numbers[2])"
    }
}
