@testable import PocketMesh

/// From which phase to which.
struct Arrow: Hashable {
    let from: String
    let to: String

    init(_ from: String, _ to: String) {
        self.from = from
        self.to = to
    }

    /// All that are allowed; beside them a phase may be told again with another identifier.
    static let allowed: Set<Arrow> = Set(drawn + bluetooth + ends + returns)

    /// The two pictures of the document.
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

    /// It is on already, is on again, or a former run was connected.
    private static let bluetooth = [
        // The radio has ended the link because it was asked to pair.
        Arrow("subscribingToNotifications", "connecting"),
        Arrow("idle", "connecting"),
        Arrow("idle", "autoReconnecting"),
        Arrow("idle", "restoringState"),
    ]

    /// A link is cut, everything else ends at once; between the stream and the connection nothing does.
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

    /// The link of a return is lost while it is found out about.
    private static let returns = [
        "discoveringServices", "discoveringCharacteristics", "subscribingToNotifications",
    ].map { Arrow($0, "autoReconnecting") }
}
