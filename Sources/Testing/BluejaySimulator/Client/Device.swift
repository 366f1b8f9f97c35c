internal import BluejayDBus
internal import BluejayGLib
internal import OrderedCollections

/// `/org/bluez/hciN/dev_XX_XX_XX_XX_XX_XX`: a device that an adapter has seen.
final class Device {
    unowned let adapter: Adapter
    /// The identity once the peer has given it away.
    private(set) var address: AirAddress
    /// Of the address that the device had first in the life of the daemon.
    private(set) var path: ObjectPath

    var name: String?
    var alias: String?
    var isPaired = false
    var isTrusted = false
    var isBlocked = false
    private(set) var rssi: Int16?
    private(set) var advertised = AirAdvertisement()
    var uuids: [String] = []
    var modalias: String?
    private(set) var isConnectable = true
    private(set) var isTemporary = true
    private(set) var isExported = false

    var isConnected = false
    var areServicesResolved = false
    var link: SimulatedLink?
    var client: ATTClient?
    /// Whoever waits for a connection.
    var pendingConnection: PendingConnection?
    var disconnection: Disconnection?
    var resolveTimer: ScheduledTimer?
    var dropTimer: ScheduledTimer?
    /// Pairings that bluetoothd never answers while the link lasts.
    var stuckPairings: [MethodInvocation] = []
    /// The pairing that is under way, and who else waits for it.
    var pairing: PairingAttempt?
    var whenEncrypted: [(Bool) -> Void] = []
    /// Whether somebody has compared or typed something while it was paired.
    var isAuthenticated = false
    /// Whether the object goes with its link: nobody could answer a pairing.
    var isForgottenWithLink = false
    private(set) lazy var gatt = GATTClientObjects(self)
    private(set) lazy var battery = DeviceBattery(self)
    /// How long the link of a daemon that was killed lasts.
    var staleTime = Waits.staleLink
    private var temporaryTimer: ScheduledTimer?

    var world: SimulatedBlueZ { adapter.world }
    /// Whether the adapter still has this object; `false` after `RemoveDevice`.
    var isKnown: Bool { adapter.devices.contains(self) }

    init?(_ address: AirAddress, on adapter: Adapter) {
        guard let path = adapter.path.child(address.pathElement) else { return nil }
        self.adapter = adapter
        self.address = address
        self.path = path
    }

    // MARK: The bus

    func export() {
        isExported = true
        world.bus.export([deviceInterface], at: path)
        cutStaleLink()
    }

    func unexport() {
        gatt.removeAll()
        world.bus.unexport(path)
        isExported = false
        temporaryTimer = nil
        resolveTimer = nil
    }

    func changed(_ names: [String]) {
        world.bus.emitChanged(path, Names.device, names)
    }

    /// The peer has given its identity away: the object stays where it is.
    func take(_ identity: AirAddress) {
        address = identity
        changed(["Address", "AddressType"])
    }

    /// The daemon began anew: the attributes are known again after the next connection.
    func restart() {
        path = adapter.path.child(address.pathElement) ?? path
        gatt.forgetAll()
        rssi = nil
        advertised = AirAdvertisement()
        areServicesResolved = false
    }

    // The kernel keeps the link of a daemon that was killed for a while.
    private func cutStaleLink() {
        guard isConnected, link == nil else { return }
        world.later(staleTime) { [weak self] in
            guard let self, isConnected, link == nil else { return }
            isConnected = false
            changed(["Connected"])
            answerDisconnects()
        }
    }

    // MARK: Advertisements

    /// Takes the first advertisement, before the object is told.
    func take(_ advertisement: AirAdvertisement, rssi: Int16) {
        _ = merge(advertisement)
        self.rssi = rssi
    }

    /// Tells what is new in an advertisement of a known device.
    func seen(
        _ advertisement: AirAdvertisement,
        rssi: Int16,
        tellsEachStrength: Bool,
        tellsDuplicates: Bool
    ) {
        var names: [String] = []
        // Else only steps of 8 dB are told.
        if tellsEachStrength || self.rssi.map({ abs(Int($0) - Int(rssi)) >= 8 }) ?? true {
            self.rssi = rssi
            names.append("RSSI")
        }
        names += merge(advertisement, replacesData: tellsDuplicates)
        if tellsDuplicates {
            for (name, isEmpty) in [
                ("ManufacturerData", advertisement.manufacturerData.isEmpty),
                ("ServiceData", advertisement.serviceData.isEmpty),
            ] where !isEmpty && !names.contains(name) { names.append(name) }
        }
        changed(names)
        keepForAWhile()
    }

    /// The names of the properties that an advertisement changes.
    ///
    /// With `replacesData` the data of other companies and services is removed, as bluetoothd does where a
    /// discovery has `DuplicateData`; without it they accumulate.
    private func merge(_ new: AirAdvertisement, replacesData: Bool = false) -> [String] {
        var names: [String] = []
        isConnectable = new.isConnectable
        if let newName = new.name.flatMap(Self.shownName), newName != name, link == nil {
            name = newName
            names += alias == nil ? ["Name", "Alias"] : ["Name"]
        }
        if !areServicesResolved {
            let all = Set(uuids).union(new.serviceUUIDs).sorted()
            if all != uuids {
                uuids = all
                names.append("UUIDs")
            }
        }
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

    /// The scan has ended: its measurement is no longer true.
    func forgetSignalStrength(tells: Bool) {
        guard rssi != nil else { return }
        rssi = nil
        if tells { changed(["RSSI"]) }
    }

    // MARK: Keeping

    /// A device that nobody connected to is dropped when it was not seen for a time.
    func keepForAWhile() {
        guard isTemporary, !isConnected else { return }
        temporaryTimer = world.clock.schedule(after: Waits.temporaryDevice) { [weak self] in
            guard let self, isTemporary, !isConnected, pendingConnection == nil else { return }
            adapter.forget(self)
        }
    }

    /// Somebody wants the device; one with a private address may not be kept.
    func makePermanent() {
        guard !address.isPrivate else { return }
        isTemporary = false
        temporaryTimer = nil
    }

    func cancelRemoval() {
        temporaryTimer = nil
    }

    /// A received name as bluetoothd shows it; `nil` when nothing of it is left.
    ///
    /// A name with a NUL is no valid text to bluetoothd, which takes the part before the NUL as ASCII,
    /// replaces all other bytes by spaces, and strips the spaces at both ends.
    static func shownName(_ name: String) -> String? {
        guard name.utf8.contains(0) else { return name.isEmpty ? nil : name }
        let space = UInt8(ascii: " ")
        var bytes = name.utf8.prefix { $0 != 0 }.map { $0 < 0x80 ? $0 : space }[...]
        bytes = bytes.drop { $0 == space }
        while bytes.last == space { bytes.removeLast() }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    var shownAlias: String { alias ?? name ?? address.dashed }
}

/// A `Connect` that waits for its device.
struct PendingConnection {
    let deadline: ScheduledTimer
    /// Runs once a peer has answered.
    var setup: ScheduledTimer?
    let completion: (BusError?) -> Void
}

/// A `Disconnect` that waits until the link is dropped.
struct Disconnection {
    let timer: ScheduledTimer
    var calls: [MethodInvocation]
    /// What else is to be done after all signals.
    var completions: [() -> Void]

    func answer() {
        for call in calls { call.reply() }
        for completion in completions { completion() }
    }
}
