internal import BluejayCore
package import BluejayDBus

/// A call of `AcquireNotify`: a central subscribed, and bluetoothd requests a socket for its values.
package struct AcquireNotifyRequest {
    /// The sockets of one characteristic.
    package struct Handlers {
        /// Whether a value for all may reach a subscriber.
        let isSubscribed: () -> Bool
        /// A central subscribed; complete the request with `reply` or `reject`.
        let acquire: (AcquireNotifyRequest) -> Void
    }

    /// The central's object, or `nil` if bluetoothd did not name it.
    package let device: ObjectPath?
    /// The ATT MTU of the central's link, or `nil` before BlueZ 5.59.
    package let mtu: Int?

    private let call: MethodInvocation

    init(_ call: MethodInvocation) {
        self.call = call
        let options = call.arguments.first?.namedValues
        device = options?["device"]?.path
        mtu = BusNumber.mtu.read(options?["mtu"])
    }

    /// The D-Bus members of a characteristic that uses sockets.
    static func members(_ handlers: Handlers) -> (BusProperty, BusMethod) {
        // bluetoothd calls `AcquireNotify` if this property exists. `WriteAcquired` is omitted because
        // writes to its socket do not name the central.
        let property = BusProperty("NotifyAcquired", "b") {
            .boolean(handlers.isSubscribed())
        }
        let method = BusMethod("AcquireNotify", inputSignature: "a{sv}", outputSignature: "hq") {
            handlers.acquire(AcquireNotifyRequest($0))
        }
        return (property, method)
    }

    /// Replies with the socket end that bluetoothd reads.
    func reply(_ end: BusFileDescriptor) {
        call.reply([.fileDescriptor(end), .uint16(UInt16(clamping: mtu ?? ATTLimits.minimumMTU))])
    }

    /// Rejects the socket; the central receives no values until it subscribes again.
    ///
    /// Any error name other than `Failed` makes bluetoothd call `StartNotify`, which does not name the
    /// central.
    func reject(_ text: String) {
        call.fail("org.bluez.Error.Failed", text)
    }
}
