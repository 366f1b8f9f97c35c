internal import BluejayDBus

/// A call of bluetoothd that may not have been answered.
package struct BusCall {
    enum ID {
        /// Serials begin anew with each connection to the bus.
        case sent(CallID, connection: Int)
        case refused(Int)
    }

    let id: ID
}
