extension ConnectMachine {
    /// How it ended.
    package enum Outcome: Equatable {
        case connected
        case failed(String)
        case unpaired(String)
        case unreached(LinkFailure)
        /// Bluetooth became unavailable.
        case unavailable
        /// Given up by `abandon`; nothing of it is pending in bluetoothd any more.
        case abandoned
    }

    /// What to do.
    package enum Action: Equatable {
        /// Scan until the device object appears, then report `appeared`.
        case discover
        case endDiscovery
        /// Report `replied` with the number, or `found` when there is a link already.
        case callConnect(Int)
        /// Report `disconnectReplied` with the number.
        case callDisconnect(Int)
        /// Ask for the properties of the device, behind which everything stands that bluetoothd had to
        /// signal, then report `refreshed` with the number.
        case readDevice(Int)
        /// Ask for all objects, then report `refreshed` with the number.
        case readObjects(Int)
        /// Ask whether the link is being ended, then report `checked` with the number.
        case check(Int)
        /// Report `timerFired` at the instant; nil disarms it.
        case setTimer(Duration?)
        case finish(Outcome)
    }

    /// What is known of the services of a device.
    package enum Services: Equatable {
        /// No object of them is there.
        case none
        /// The device names more than there are objects.
        case some
        case all
    }

    /// What is read when services may be missing.
    enum Reading: Equatable {
        case device, objects, objectsAgain
    }

    /// What is known of the end of a link that was there already.
    enum Life: Equatable {
        /// Nobody ends it.
        case lasting
        /// Somebody has called `Disconnect`: bluetoothd ends it 2 s later.
        case ending
        /// bluetoothd does not tell.
        case unknown
    }
}
