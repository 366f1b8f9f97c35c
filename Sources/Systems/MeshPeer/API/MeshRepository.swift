public import FoundationEssentials

/// Stores, decrypts and relays the messages of the mesh.
public protocol MeshRepository: AnyObject {
    /// Receives one value from a peer, in the order in which the peer sent its values.
    ///
    /// Called in the isolation of the code that set the repository, such as the main actor; without isolation
    /// on the loop of the host. There it must return soon: no other callback of the host runs meanwhile.
    /// While 4,096 values wait for an actor, further values are discarded and logged.
    ///
    /// - Parameters:
    ///   - peerId: The UUID of the peer in uppercase, as `UUID.uuidString` has it.
    ///   - data: The value, at most 512 bytes.
    func onBleDataReceived(peerId: String, data: Data)

    /// Sends one value to a peer, usually through ``PlatformBridge/sendBlePacket(peerId:data:)``.
    func sendBlePacket(peerId: String, data: Data)
}
