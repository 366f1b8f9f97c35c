/// Flow control and transport of many writes without response.
extension Bluejay {
    /// Whether another write without response is welcome.
    ///
    /// While the value is false, writes are neither rejected nor lost: they wait in the queue, in memory. A
    /// program with many writes checks the value before each one, and resumes in
    /// ``PeripheralObserver/peripheralIsReady(toSendWriteWithoutResponse:)``. The value becomes false when 64
    /// writes wait, and true when 32 remain. Awaited writes pace themselves and need no check.
    ///
    /// CoreBluetooth has a property of the same name, but may lose writes made while it is false.
    public var canSendWriteWithoutResponse: Bool {
        state(otherwise: true, published: { _ in instance.writes.publishedIsReady }) {
            $0.writes.isReady
        }
    }

    /// Whether writes without response may use a socket instead of one message each; true by default.
    ///
    /// The second consecutive write to a characteristic requests a socket. The socket is released a second
    /// after the last write, or before any other operation on the characteristic. Values and their order are
    /// the same, without a bus message for each value. While the socket is open, BlueZ lets no other program
    /// write to the characteristic. If another program must write to it, set the property to false; the
    /// change takes effect with the next write.
    /// - Note: `org.bluez.GattCharacteristic1.AcquireWrite`; if BlueZ refuses it, `WriteValue`.
    public var usesWriteSockets: Bool {
        get { settings.usesWriteSockets.latest }
        set {
            settings.usesWriteSockets.set(newValue, on: mainLoop) { [instance] in
                instance.writes.usesSockets = $0
            }
        }
    }

    /// Calls a closure once, on a later iteration, when another write is welcome or Bluejay ends.
    ///
    /// - Returns: A closure that cancels the wait.
    package func whenReadyToWrite(_ completion: @escaping () -> Void) -> () -> Void {
        let id = instance.writes.whenReady(completion)
        return { [weak writes = instance.writes] in writes?.cancelWait(id) }
    }
}
