@testable import PocketMesh

struct Arrow: Hashable {
    let from: String
    let to: String

    init(_ from: String, _ to: String) {
        self.from = from
        self.to = to
    }

    /// All allowed transitions.
    ///
    /// In addition, a phase may be reported again with another identifier.
    static let allowed: Set<Arrow> = Set(drawn + bluetooth + ends + returns)

    /// The transitions in the document's two diagrams.
    private static let drawn = [
        Arrow("idle", "waitingForBluetooth"),
        Arrow("waitingForBluetooth", "connecting"),
        Arrow("connecting", "discoveringServices"),
        Arrow("discoveringServices", "discoveringCharacteristics"),
        Arrow("discoveringCharacteristics", "subscribingToNotifications"),
        Arrow("subscribingToNotifications", "discoveryComplete"),
        Arrow("discoveryComplete", "connected"),
        Arrow("connected", "autoReconnecting"),
        Arrow("autoReconnecting", "discoveringServices"),
        Arrow("restoringState", "autoReconnecting"),
    ]

    /// Bluetooth is on already, is on again, or an earlier run was connected.
    private static let bluetooth = [
        // The radio has ended the link because of the pairing request.
        Arrow("subscribingToNotifications", "connecting"),
        Arrow("idle", "connecting"),
        Arrow("idle", "autoReconnecting"),
        Arrow("idle", "restoringState"),
    ]

    /// An open link is disconnected first, everything else ends at once; `discoveryComplete` cannot end.
    private static let ends =
        [
            "waitingForBluetooth", "connecting", "discoveringServices",
            "discoveringCharacteristics", "subscribingToNotifications", "connected",
            "autoReconnecting", "restoringState", "disconnecting",
        ].map { Arrow($0, "idle") }
        + [
            "connecting", "discoveringServices", "discoveringCharacteristics",
            "subscribingToNotifications", "connected", "autoReconnecting",
        ].map { Arrow($0, "disconnecting") }

    /// The link of a reconnection is lost during discovery.
    private static let returns = [
        "discoveringServices", "discoveringCharacteristics", "subscribingToNotifications",
    ].map { Arrow($0, "autoReconnecting") }
}
