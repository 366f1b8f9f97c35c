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

    /// Reads the address from device properties in a message, and nothing else.
    static func address(_ properties: BusReader) -> DeviceAddress? {
        guard var entries = properties.enterDictionary() else { return nil }
        var texts: [String?] = [nil, nil]
        // If a name occurs twice, the first entry counts, as for other property readers.
        var isFound = [false, false]
        while isFound != [true, true], var entry = entries.enter() {
            if let index = entry.position(in: addressNames), !isFound[index], entry.next() {
                entry.openVariants()
                texts[index] = entry.string()
                isFound[index] = true
            }
            entries.next()
        }
        return address(texts[0], texts[1])
    }

    private static let addressNames = ["Address", "AddressType"]

    private static func address(_ text: String?, _ kind: String?) -> DeviceAddress? {
        // BlueZ before 5.51 has no address type and knows public addresses only.
        guard let text, let kind = DeviceAddress.Kind(rawValue: kind ?? "public") else {
            return nil
        }
        return DeviceAddress(text, kind: kind)
    }

    package var name: String? { properties["Name"]?.text }

    /// The name set on this computer, else the device's own name, else its address with hyphens.
    package var alias: String? { properties["Alias"]?.text }

    package var appearance: UInt16? {
        BusNumber.appearance.read(properties["Appearance"]).map { UInt16($0) }
    }

    package var isPaired: Bool { properties["Paired"]?.boolean == true }

    /// Whether the pairing keys are stored; `nil` before BlueZ 5.65.
    package var isBonded: Bool? { properties["Bonded"]?.boolean }

    package var isTrusted: Bool { properties["Trusted"]?.boolean == true }

    /// Whether changed properties describe the device itself rather than its link or its radio.
    static func changesDescription(_ changed: ObjectTree.Properties) -> Bool {
        changed.keys.contains(where: described.contains)
    }

    private static let described: Set<String> = [
        "Address", "AddressType", "Name", "Alias", "Appearance", "Paired", "Bonded", "Trusted",
        "UUIDs",
    ]

    /// Whether any client has a link to the device.
    package var isConnected: Bool { properties["Connected"]?.boolean == true }

    /// The value of `Connected` in a signal, or `nil` if the signal does not contain it.
    var connectedIfPresent: Bool? { properties["Connected"]?.boolean }

    package var isResolved: Bool { properties["ServicesResolved"]?.boolean == true }

    /// The signal strength in dBm, or `nil` if it is unknown.
    package var rssi: Int? { BusNumber.signalStrength.read(properties["RSSI"]) }

    /// Whether a current discovery has seen the device.
    ///
    /// A device without a signal strength is known from bluetoothd's storage only.
    var isSeen: Bool { properties["RSSI"] != nil }

    package var txPower: Int? { BusNumber.transmitPower.read(properties["TxPower"]) }

    /// The services that the device advertises or is known to have.
    package var uuids: [BluetoothUUID] {
        (properties["UUIDs"]?.texts ?? []).map { BluetoothUUID(string: $0) }
    }

    package var manufacturerData: [UInt16: Data] {
        Self.manufacturerData(properties["ManufacturerData"])
    }

    package var serviceData: [BluetoothUUID: Data] { Self.serviceData(properties["ServiceData"]) }

    /// The first octet of the advertised flags, which has all the assigned bits.
    package var flags: UInt8? { Self.flags(properties["AdvertisingFlags"]) }

    /// The advertised fields that bluetoothd does not interpret, by their type.
    package var otherFields: [UInt8: Data] { Self.otherFields(properties["AdvertisingData"]) }

    // bluetoothd may send values of any type; entries of the wrong type are skipped.

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

    /// Whether a value is equal to the data read before; costs 1,100 instructions less than reading it.
    static func isManufacturerData(_ value: BusValue, _ known: [UInt16: Data]) -> Bool {
        guard let entries = value.entries, entries.count == known.count else { return false }
        return entries.allSatisfy { entry in
            guard let company = BusNumber.company.read(entry.key), let bytes = entry.value.bytes,
                let data = known[UInt16(company)]
            else { return false }
            return data.elementsEqual(bytes)
        }
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

    static func flags(_ value: BusValue?) -> UInt8? { value?.bytes?.first }

    static func otherFields(_ value: BusValue?) -> [UInt8: Data] {
        let entries = value?.entries ?? []
        var data = [UInt8: Data](minimumCapacity: entries.count)
        for entry in entries {
            guard case .byte(let type) = entry.key else { continue }
            data[type] = entry.value.bytes.map { Data($0) }
        }
        return data
    }

    /// Whether the properties include advertised ones.
    var isAdvertised: Bool { properties.keys.contains(where: Self.advertised.contains) }

    /// Whether a change affects the address.
    static func changesAddress(
        _ changed: ObjectTree.Properties,
        invalidated: [String] = []
    ) -> Bool {
        addressNames.contains { changed[$0] != nil || invalidated.contains($0) }
    }

    private static let advertised: Set<String> = [
        "RSSI", "TxPower", "ManufacturerData", "ServiceData", "AdvertisingData",
        "AdvertisingFlags", "Name", "UUIDs",
    ]

    /// `Device1.Disconnected`, which BlueZ 5.83 and later emit before `Connected` becomes false.
    static let disconnected = MatchRule(
        sender: BlueZ.service,
        interface: interface,
        member: "Disconnected"
    )

    /// Connects; bluetoothd times out after 41 s.
    static func connect(_ device: ObjectPath) -> MethodCall { call(device, "Connect") }

    /// Disconnects any client's link, or cancels a pending `Connect`.
    static func disconnect(_ device: ObjectPath) -> MethodCall { call(device, "Disconnect") }

    /// Sets the local name of a device; an empty name removes it.
    static func setAlias(_ device: ObjectPath, _ alias: String) -> MethodCall {
        StandardInterfaces.set(device, interface, "Alias", .string(alias))
    }

    private static func call(_ device: ObjectPath, _ member: String) -> MethodCall {
        MethodCall(to: BlueZ.service, at: device, interface, member)
    }
}

extension DeviceAddress {
    package init?(device: ObjectTree.Properties) {
        guard let address = Device1(device).address else { return nil }
        self = address
    }
}

extension ObjectTree {
    /// The device, or `nil` while bluetoothd does not know it.
    package func device(at path: ObjectPath) -> Device1? {
        properties(path, Device1.interface).map { Device1($0) }
    }

    /// The address of a peripheral; if its type is not known, that of the device that bluetoothd knows.
    package func address(
        of peripheral: PeripheralIdentifier,
        over adapter: ObjectPath
    ) -> DeviceAddress? {
        peripheral.deviceAddress
            ?? peripheral.possibleAddresses.first { device($0, of: adapter) != nil }
    }

    package func isConnected(_ device: ObjectPath) -> Bool {
        self.device(at: device)?.isConnected ?? false
    }

    package func isResolved(_ device: ObjectPath) -> Bool {
        self.device(at: device)?.isResolved ?? false
    }
}

extension Device1 {
    /// Pairs with a device, connecting first if necessary.
    ///
    /// bluetoothd calls the agent of the calling bus connection, or the default agent if the connection
    /// has none. BlueZ 5.66 does not reply to a call for a paired device until its link ends.
    static func pair(_ device: ObjectPath) -> MethodCall {
        MethodCall(to: BlueZ.service, at: device, interface, "Pair")
    }

    /// Cancels a `Pair` call, even one of another client.
    static func cancelPairing(_ device: ObjectPath) -> MethodCall {
        MethodCall(to: BlueZ.service, at: device, interface, "CancelPairing")
    }

    /// The value of `Paired` in a signal, or `nil` if the signal does not contain it.
    static func pairedIfPresent(_ changed: ObjectTree.Properties) -> Bool? {
        changed["Paired"]?.boolean
    }
}

// The known devices of an adapter as users see them.

extension ObjectTree {
    /// The devices that an adapter knows, in the order of their paths.
    package func knownPeripherals(of adapter: ObjectPath) -> [KnownPeripheral] {
        paths(with: Device1.interface, below: adapter).compactMap { path in
            properties(path, Device1.interface).flatMap { KnownPeripheral($0) }
        }
    }
}

extension KnownPeripheral {
    init?(_ properties: ObjectTree.Properties) {
        let device = Device1(properties)
        guard let address = device.address else { return nil }
        self.init(PeripheralIdentifier(address: address, name: device.name))
        isPaired = device.isPaired
        // `Bonded` exists since BlueZ 5.65.
        isBonded = device.isBonded ?? isPaired
        isTrusted = device.isTrusted
        isConnected = device.isConnected
        rssi = device.rssi
        services = device.uuids.map { ServiceIdentifier(uuid: $0) }
    }
}
