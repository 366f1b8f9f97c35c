internal import BluejayBlueZ
internal import BluejayCore
internal import FoundationEssentials

extension BLEError {
    /// The meaning of an error of bluetoothd.
    init(_ failure: BlueZFailure) {
        let text = failure.errorText ?? failure.reason
        self =
            switch failure {
            case .adapterOff, .daemonLost, .notConnected, .linkLost: .notConnected
            case .attribute(let code, _):
                .pairingFailure(attributeCode: code, reason: text)
                    ?? .writeError(Self.text(code, failure))
            case .notPaired:
                .pairingFailed(
                    "the radio requires pairing or an encrypted link, ATT 0x05 or 0x0f, which look "
                        + "the same on BlueZ: \(text)"
                )
            case .pairing: failure.isPairingCancelled ? .pairingCancelled : .pairingFailed(text)
            case .timedOut, .daemonNotResponding: .operationTimeout
            case .inProgress: .writeError("another program is using the characteristic")
            case .objectRemoved: .writeError("the characteristic was removed")
            case .queueFull: .writeError("too many values are waiting")
            case .alreadyDone, .notSupported, .accessDenied, .cancelled, .other: .writeError(text)
            }
    }

    /// ATT error 0x0E of a link that is up: a paired radio has lost its keys, another one rejects the value.
    init(unlikelyError failure: BlueZFailure, wasPaired: Bool) {
        let reason = "the radio deleted its pairing keys (ATT 0x0e)"
        let paired = Self.pairingFailure(attributeCode: 0x0E, reason: reason)
        let other = BLEError.writeError(Self.text(0x0E, failure))
        self = wasPaired ? paired ?? other : other
    }

    private static func text(_ code: UInt8, _ failure: BlueZFailure) -> String {
        "\(ATTError(code: code)) (\(failure.errorText ?? ""))"
    }
}
