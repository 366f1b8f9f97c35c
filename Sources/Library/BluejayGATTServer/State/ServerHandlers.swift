internal import BluejayCore
internal import BluejayGLib

/// The user's handlers of a server's events.
struct ServerHandlers {
    let onStateChange = LoopProperty<((BluetoothState) -> Void)?>(nil)
    let onConnectionChange = LoopProperty<((PeripheralIdentifier, Bool) -> Void)?>(nil)
    let onCentralChange = LoopProperty<((CentralChange) -> Void)?>(nil)
    let onServiceEnded = LoopProperty<((LocalService, BluejayError) -> Void)?>(nil)
    let onAdvertisingEnded = LoopProperty<((BluejayError?) -> Void)?>(nil)
}
