package import BluejayCore
package import BluejayDBus
package import FoundationEssentials

/// `org.bluez.Device1`: a device that an adapter has seen.
package struct Device1 {
    package static let interface = "org.bluez.Device1"

    private let properties: ObjectTree.Properties

    package init(_ properties: ObjectTree.Properties) {
        self.properties = properties
    }

    package var address: DeviceAddress? {
        Self.address(properties["Address"]?.text, properties["AddressType"]?.text)
    }

    /// The address of a device whose properties lie in a message; nothing else is read.
    static func address(_ properties: BusReader) -> DeviceAddress? {
        guard var entries = properties.enterDictionary() else { return nil }
        var texts: [String?] = [nil, nil]
        // Of two entries of one name the first counts, as for all who read properties.
        var isFound = [false, false]
        while isFound != [true, true], var entry = entries.enter() {
            if let place = entry.position(in: addressNames), !isFound[place], entry.next() {
                entry.openVariants()
                texts[place] = entry.string()
                isFound[place] = true
            }
            entries.next()
        }
        return address(texts[0], texts[1])
    }

    private static let addressNames = ["Address", "AddressType"]

    private static func address(_ text: String?, _ kind: String?) -> DeviceAddress? {
        // Before BlueZ 5.51 there is no address type; all devices of then were public.
        guard let text, let kind = DeviceAddress.Kind(rawValue: kind ?? "public") else {
            return nil
        }
        return DeviceAddress(text, kind: kind)
    }

    package var name: String? { properties["Name"]?.text }

    /// The name that people gave it here, else its own, else its address with hyphens.
    package var alias: String? { properties["Alias"]?.text }

    /// What it says it looks like.
    package var appearance: UInt16? {
        BusNumber.appearance.read(properties["Appearance"]).map { UInt16($0) }
    }

    package var isPaired: Bool { properties["Paired"]?.boolean == true }

    /// Whether the keys of the pairing are kept; BlueZ before 5.65 does not tell.
    package var isBonded: Bool? { properties["Bonded"]?.boolean }

    package var isTrusted: Bool { properties["Trusted"]?.boolean == true }

    /// Whether changed properties are of what a device is, rather than of its link or its radio.
    static func isDescribed(_ changed: ObjectTree.Properties) -> Bool {
        changed.keys.contains(where: described.contains)
    }

    private static let described: Set<String> = [
        "Address", "AddressType", "Name", "Alias", "Appearance", "Paired", "Bonded", "Trusted",
        "UUIDs",
    ]

    /// Whether there is a link to it, of whomever.
    package var isConnected: Bool { properties["Connected"]?.boolean == true }

    /// The same as a part of a signal; nil when the signal does not say it.
    var connectedIfTold: Bool? { properties["Connected"]?.boolean }

    /// Whether its services are known.
    package var isResolved: Bool { properties["ServicesResolved"]?.boolean == true }

    /// In dBm; nil when it is not known.
    package var rssi: Int? { BusNumber.signalStrength.read(properties["RSSI"]) }

    /// Whether it was seen by a discovery that is under way.
    ///
    /// One without a signal strength was stored, not seen.
    var isSeen: Bool { properties["RSSI"] != nil }

    package var txPower: Int? { BusNumber.transmitPower.read(properties["TxPower"]) }

    /// The services that it advertises or is known to have.
    package var uuids: [BluetoothUUID] {
        (properties["UUIDs"]?.texts ?? []).map { BluetoothUUID(string: $0) }
    }

    package var manufacturerData: [UInt16: Data] {
        Self.manufacturerData(properties["ManufacturerData"])
    }

    package var serviceData: [BluetoothUUID: Data] { Self.serviceData(properties["ServiceData"]) }

    // A value is whatever bluetoothd has sent, so that each is taken as far as it is of its type.

    static func manufacturerData(_ value: BusValue?) -> [UInt16: Data] {
        let entries = value?.entries ?? []
        var data = [UInt16: Data](minimumCapacity: entries.count)
        for entry in entries {
            guard let company = BusNumber.company.read(entry.key).map({ UInt16($0) }) else {
                continue
            }
            data[company] = entry.value.bytes.map { Data($0) }
        }
        return data
    }

    static func serviceData(_ value: BusValue?) -> [BluetoothUUID: Data] {
        let entries = value?.entries ?? []
        var data = [BluetoothUUID: Data](minimumCapacity: entries.count)
        for entry in entries {
            guard let uuid = entry.key.text else { continue }
            data[BluetoothUUID(string: uuid)] = entry.value.bytes.map { Data($0) }
        }
        return data
    }

    /// Whether changed properties are those of an advertisement.
    var isAdvertised: Bool { properties.keys.contains(where: Self.advertised.contains) }

    /// Whether a change is one of the address.
    static func namesAddress(
        _ changed: ObjectTree.Properties,
        invalidated: [String] = []
    ) -> Bool {
        addressNames.contains { changed[$0] != nil || invalidated.contains($0) }
    }

    private static let advertised: Set<String> = [
        "RSSI", "TxPower", "ManufacturerData", "ServiceData", "AdvertisingData",
        "AdvertisingFlags", "Name", "UUIDs",
    ]

    /// `Device1.Disconnected`, which BlueZ 5.83 and later send before `Connected` turns false.
    static let disconnected = MatchRule(
        sender: BlueZ.service,
        interface: interface,
        member: "Disconnected"
    )

    /// Makes a link; bluetoothd gives up after 41 s.
    static func connect(_ device: ObjectPath) -> MethodCall { call(device, "Connect") }

    /// Cuts the link, whoever made it, or takes a pending `Connect` back.
    static func disconnect(_ device: ObjectPath) -> MethodCall { call(device, "Disconnect") }

    /// Gives it a name on this machine; an empty one takes that back.
    static func setAlias(_ device: ObjectPath, _ alias: String) -> MethodCall {
        StandardInterfaces.set(device, interface, "Alias", .string(alias))
    }

    private static func call(_ device: ObjectPath, _ member: String) -> MethodCall {
        MethodCall(BlueZ.service, device, interface, member)
    }
}

extension DeviceAddress {
    /// The address of a device that bluetoothd describes.
    package init?(device: ObjectTree.Properties) {
        guard let address = Device1(device).address else { return nil }
        self = address
    }
}

extension ObjectTree {
    /// A device; nil while bluetoothd does not know it.
    package func device(at path: ObjectPath) -> Device1? {
        properties(path, Device1.interface).map { Device1($0) }
    }

    /// Whether a device is connected.
    package func isConnected(_ device: ObjectPath) -> Bool {
        self.device(at: device)?.isConnected ?? false
    }

    /// Whether the services of a device are known.
    package func isResolved(_ device: ObjectPath) -> Bool {
        self.device(at: device)?.isResolved ?? false
    }
}
