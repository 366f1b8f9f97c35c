extension AttributeMachine {
    /// What a call asks of bluetoothd.
    enum Message: Equatable {
        /// The read or write that the user gave with the request.
        case request(Request)
        case startNotify
        case stopNotify
    }

    /// How a request ended.
    enum Outcome: Equatable {
        /// The answer to the request's own call has come.
        case answered
        case succeeded
        case failed(BlueZFailure)
    }

    /// What to do.
    enum Action: Equatable {
        /// Call bluetoothd, then report `answered`.
        case send(Call, Attribute, Message)
        /// Nobody waits for the answer.
        case forget(Call)
        /// Report `backOffEnded` after the delay.
        case backOff(Call, Duration)
        /// Tell the user; nothing more comes of the request.
        case complete(Request, Outcome)
        /// Values go to the subscription from now on.
        case begin(Request, Attribute)
        /// Values go to it no more; the failure says why, and nil that its user ended it.
        case end(Request, Attribute, BlueZFailure?)
        /// bluetoothd may still send values of a link that has gone: switch that off, whatever it says.
        case stopLeftOver(Attribute)
    }
}
