extension BlueZAnswer {
    /// Explains a failed `Device1.Pair`, or keys that do not match while connecting.
    ///
    /// It returns `nil` for an unknown error.
    static func pairing(_ name: String, _ text: String) -> BlueZAnswer? {
        kind(of: name).flatMap { pairingFailures[$0] } ?? connecting(name, text)
    }

    private static let lostKeys = BlueZAnswer(
        cause: "one side has lost the keys of the pairing",
        remedy:
            "remove the other keys as well, here with forget() while disconnected; then connect "
            + "and pair again"
    )

    private static let pairingFailures: [String: BlueZAnswer] = [
        "AuthenticationFailed": BlueZAnswer(
            cause: "the passkey was wrong, or the keys of the two sides do not match",
            remedy:
                "check the passkey, or remove the old keys on both sides, here with forget() while "
                + "disconnected; then connect and pair again"
        ),
        "AuthenticationCanceled": BlueZAnswer(
            cause:
                "the pairing was cancelled by the peripheral or another program, or the link was lost",
            remedy: "pair again, and confirm it on the peripheral"
        ),
        "AuthenticationRejected": BlueZAnswer(
            cause: "the peripheral rejected the pairing",
            remedy:
                "enable pairing on the peripheral, for example with its button or menu, and pair again"
        ),
        "AuthenticationTimeout": BlueZAnswer(
            cause: "the pairing timed out",
            remedy: "confirm it on both sides within 30 s, and pair again"
        ),
        "ConnectionAttemptFailed": BlueZAnswer(
            cause: "the peripheral could not be reached to pair",
            remedy: "check that it is on and in range, and pair again"
        ),
        "InProgress": BlueZAnswer(
            cause: "another pairing with the peripheral is in progress",
            remedy: "wait for it, or end it with cancelPairing(), and pair again"
        ),
        "BrConnectionKeyMissing": lostKeys,
        "LeConnectionKeyMissing": lostKeys,
    ]
}
