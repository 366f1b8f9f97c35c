internal import BluejayDBus

/// A call to bluetoothd that may still be pending.
package struct BusCall {
    enum ID {
        /// Call IDs are unique within one connection only.
        case sent(CallID, connection: Int)
        case failed(Int)
    }

    let id: ID
}
