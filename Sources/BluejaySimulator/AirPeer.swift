/// What a device sends while it advertises.
struct AirAdvertisement: Equatable {
    var name: String?
    /// Full UUID texts, lower case.
    var serviceUUIDs: [String] = []
    var manufacturerData: [UInt16: [UInt8]] = [:]
    var serviceData: [String: [UInt8]] = [:]
    var appearance: UInt16?
    /// In dBm, as the receiving adapter measures it.
    var rssi: Int16 = -55
    var txPower: Int16?
    var isConnectable = true
    /// Whether its flags say limited or general discoverable.
    var isDiscoverable = true
}

/// A device's address on the air.
struct AirAddress: Hashable {
    /// Upper case, with colons.
    var text: String
    /// "public" or "random".
    var type: String
}

/// What an access of an attribute came to.
enum AttributeAnswer {
    case value([UInt8])
    /// An ATT error code.
    case refused(UInt8)
}

/// Something on the air that can be seen and connected to.
protocol AirPeer: AnyObject {
    var airAddress: AirAddress { get }
    /// What it advertises now; nil is silence.
    var advertisement: AirAdvertisement? { get }
    /// The Device Name of its Generic Access service; nil has none.
    var deviceName: String? { get }
    /// Its attributes.
    var database: AttributeDatabase { get }

    /// A central connected.
    func linkOpened(_ link: AirLink)
    /// The link has gone.
    func linkClosed(_ link: AirLink)
    /// A read; a peer that never answers lets go of `answer`.
    func read(
        _ handle: UInt16,
        offset: Int,
        _ link: AirLink,
        _ answer: @escaping (AttributeAnswer) -> Void
    )
    /// A write; without response the answer is not heard.
    func write(
        _ handle: UInt16,
        _ value: [UInt8],
        withResponse: Bool,
        _ link: AirLink,
        _ answer: @escaping (AttributeAnswer) -> Void
    )
    /// Notifications or indications of a characteristic are switched.
    func setNotifying(_ handle: UInt16, _ isOn: Bool, _ link: AirLink)
}

/// One connection on the air, as the central's side holds it.
final class AirLink {
    /// The central's address.
    let central: AirAddress
    let mtu: UInt16 = 517
    private(set) var isUp = true

    var onValue: ((_ handle: UInt16, _ value: [UInt8]) -> Void)?
    var onDatabaseChanged: (() -> Void)?
    var onLost: (() -> Void)?
    private let peer: any AirPeer

    init(_ central: AirAddress, to peer: any AirPeer) {
        self.central = central
        self.peer = peer
    }

    /// The peer sends a value of a characteristic.
    func send(_ handle: UInt16, _ value: [UInt8]) {
        if isUp { onValue?(handle, value) }
    }

    /// The peer's attributes are others now.
    func databaseChanged() {
        if isUp { onDatabaseChanged?() }
    }

    /// The peer leaves.
    func drop() {
        guard isUp else { return }
        close()
        onLost?()
    }

    /// The central leaves.
    func close() {
        guard isUp else { return }
        isUp = false
        peer.linkClosed(self)
    }
}
