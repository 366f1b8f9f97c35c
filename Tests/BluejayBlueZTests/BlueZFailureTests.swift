import BluejayDBus
import Testing

@testable import BluejayBlueZ

@Suite("Errors of bluetoothd")
struct BlueZFailureTests {
    @Test(
        "Names and texts are told apart",
        arguments: [
            ("org.bluez.Error.NotReady", "Resource Not Ready", BlueZFailure.adapterOff),
            ("org.bluez.Error.Failed", "Not connected", .notConnected),
            ("org.bluez.Error.Failed", "Operation already in progress", .inProgress),
            ("org.bluez.Error.InProgress", "In Progress", .inProgress),
            (
                "org.bluez.Error.Failed", "Operation failed with ATT error: 0x81",
                .attribute(0x81, "Operation failed with ATT error: 0x81")
            ),
            ("org.bluez.Error.NotPermitted", "Not paired", .notPaired("Not paired")),
            (
                "org.bluez.Error.NotPermitted", "Read not permitted",
                .attribute(0x02, "Read not permitted")
            ),
            (
                "org.bluez.Error.InvalidArguments", "Invalid Length",
                .attribute(0x0D, "Invalid Length")
            ),
            ("org.freedesktop.DBus.Error.UnknownObject", "Method …", .gone),
            ("org.freedesktop.DBus.Error.ServiceUnknown", "", .daemonGone),
            (
                "org.freedesktop.DBus.Error.NoReply",
                "Message recipient disconnected from message bus without replying", .daemonGone
            ),
            ("org.freedesktop.DBus.Error.AccessDenied", "no", .accessDenied("no")),
        ]
    )
    func table(name: String, message: String, expected: BlueZFailure) {
        #expect(BlueZFailure(BusError(name: name, message: message)) == expected)
    }

    @Test("Our own time limit is not taken for a dead daemon")
    func ownLimit() {
        #expect(BlueZFailure(.noReply) == .timedOut)
    }

    @Test(
        "A text that only looks like an ATT error has no code",
        arguments: ["", "0x81", "ATT error: 0x"]
    )
    func noCode(text: String) {
        #expect(BlueZFailure.attributeCode(in: text) == nil)
    }
}
