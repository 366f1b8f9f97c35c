/// Many writes without response: how fast they may be made, and by which way they go.
extension Bluejay {
    /// Whether another write without response is welcome now.
    ///
    /// None is refused or lost while this is false: it waits in the queue, in memory. So a program that
    /// has many asks before each one, and goes on when
    /// ``PeripheralObserver/peripheralIsReady(toSendWriteWithoutResponse:)`` is called. It turns false when
    /// 64 wait, and true when 32 do. Those that are awaited pace themselves, and need not ask.
    ///
    /// It has the name that it has in CoreBluetooth, where a write that is made all the same may be lost.
    public var canSendWriteWithoutResponse: Bool {
        state(otherwise: true, published: { _ in instance.writes.wasReady }) {
            $0.writes.isReady
        }
    }

    /// Whether writes without response may go through a socket instead of a message each; true at first.
    ///
    /// A socket is asked for with the second write in a row to one characteristic, and is given back a
    /// second after the last one, or before anything else is written there. The values and their order are
    /// the same, without a message on the bus for each. Meanwhile BlueZ lets no other program write to the
    /// characteristic: set it to false where another one has to, from the next write on.
    /// - Note: `org.bluez.GattCharacteristic1.AcquireWrite`; where BlueZ refuses it, `WriteValue`.
    public var usesWriteSockets: Bool {
        get { settings.usesWriteSockets.latest }
        set {
            settings.usesWriteSockets.set(newValue, on: mainLoop) { [instance] in
                instance.writes.usesSockets = $0
            }
        }
    }

    /// Calls once, in a later turn, when a write without response is welcome, or Bluejay ends.
    ///
    /// - Returns: The way to take it back.
    package func whenReadyToWrite(_ ready: @escaping () -> Void) -> () -> Void {
        let number = instance.writes.whenReady(ready)
        return { [weak writes = instance.writes] in writes?.cancelWait(number) }
    }
}
