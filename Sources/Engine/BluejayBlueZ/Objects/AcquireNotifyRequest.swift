internal import BluejayCore
package import BluejayDBus

/// bluetoothd's `AcquireNotify`: a central has subscribed, and a socket is asked for on which its values
/// will come.
package struct AcquireNotifyRequest {
    /// The central's object; nil when bluetoothd did not say.
    package let device: ObjectPath?
    /// The ATT MTU of the central's link; nil before BlueZ 5.59.
    package let mtu: Int?

    private let call: MethodInvocation

    init(_ call: MethodInvocation) {
        self.call = call
        let options = call.arguments.first?.namedValues
        device = options?["device"]?.path
        mtu = BusNumber.mtu.read(options?["mtu"])
    }

    /// What is there for a characteristic with sockets.
    static func members(_ sockets: NotifySockets) -> (BusProperty, BusMethod) {
        // Its presence is what makes bluetoothd ask. `WriteAcquired` stays away: with it nobody would
        // say who writes.
        let property = BusProperty("NotifyAcquired", "b") { [weak sockets] in
            .boolean(sockets?.isSubscribed ?? false)
        }
        let method = BusMethod("AcquireNotify", takes: "a{sv}", gives: "hq") {
            [weak sockets] call in
            sockets?.acquire(AcquireNotifyRequest(call))
        }
        return (property, method)
    }

    /// Hands over the end from which bluetoothd reads.
    func answer(_ end: BusFileDescriptor) {
        call.reply([.descriptor(end), .uint16(UInt16(clamping: mtu ?? ATTLimits.leastMTU))])
    }

    /// Gives none; the central stays without values until it subscribes again.
    ///
    /// Any other name than `Failed` makes bluetoothd call `StartNotify`, which names nobody.
    func refuse(_ text: String) {
        call.fail("org.bluez.Error.Failed", text)
    }
}
