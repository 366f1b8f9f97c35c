internal import BluejayBlueZ
internal import BluejayGLib
internal import FoundationEssentials

/// The PSMs of the channels that one host publishes, shared by its managers.
///
/// Confined to the loop of the host.
final class PublishedChannels {
    private var psms: [UInt16] = []

    /// The object of a host.
    static func of(_ host: BluetoothHost) -> PublishedChannels {
        let key = "MeshPeer.channels|\(host.busAddress ?? "")|\(host.adapter ?? "")"
        return host.mainLoop.context.sharedObject(key) { PublishedChannels() }
    }

    /// The value of the PSM characteristic: the PSM published last, or 0, as a little-endian `UInt16`.
    var value: Data {
        let psm = psms.last ?? 0
        return Data([UInt8(psm & 0xFF), UInt8(psm >> 8)])
    }

    func add(_ psm: UInt16) {
        psms.append(psm)
    }

    func remove(_ psm: UInt16) {
        if let index = psms.lastIndex(of: psm) { psms.remove(at: index) }
    }
}
