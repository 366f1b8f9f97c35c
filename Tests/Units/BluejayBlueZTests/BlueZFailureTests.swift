import BluejayCore
import BluejayDBus
import TestTraits
import Testing

@testable import BluejayBlueZ

@Suite("Errors of bluetoothd")
struct BlueZFailureTests {
    @Test(
        "The name and the message of an error determine the failure",
        .pitfall(.notConnectedIsText, .removedObjectErrors),
        arguments: [
            ("org.bluez.Error.NotReady", "Resource Not Ready", BlueZFailure.adapterOff),
            ("org.bluez.Error.Failed", "Not connected", .notConnected),
            ("org.bluez.Error.Failed", "Operation already in progress", .inProgress),
            ("org.bluez.Error.InProgress", "In Progress", .inProgress),
            ("org.freedesktop.DBus.Error.UnknownObject", "Method …", .objectRemoved),
            ("org.freedesktop.DBus.Error.UnknownMethod", "Method …", .objectRemoved),
            ("org.freedesktop.DBus.Error.UnknownInterface", "", .objectRemoved),
            ("org.freedesktop.DBus.Error.ServiceUnknown", "", .daemonLost),
            (
                "org.freedesktop.DBus.Error.NoReply",
                "Message recipient disconnected from message bus without replying", .daemonLost
            ),
            ("org.freedesktop.DBus.Error.AccessDenied", "no", .accessDenied("no")),
        ]
    )
    func table(name: String, message: String, expected: BlueZFailure) {
        #expect(BlueZFailure(BusError(name: name, message: message)) == expected)
    }

    @Test("A failure of an ATT request or of pairing contains the error of bluetoothd")
    func answers() {
        let table: [(String, String, (BusError) -> BlueZFailure)] = [
            ("Failed", "Operation failed with ATT error: 0x81", { .attribute(0x81, $0) }),
            ("NotPermitted", "Not paired", { .notPaired($0) }),
            ("NotPermitted", "Read not permitted", { .attribute(0x02, $0) }),
            ("NotPermitted", "Write not permitted", { .attribute(0x03, $0) }),
            ("NotSupported", "Operation is not supported", { .attribute(0x06, $0) }),
            ("NotAuthorized", "Operation Not Authorized", { .attribute(0x08, $0) }),
            ("InvalidArguments", "Invalid offset", { .attribute(0x07, $0) }),
            ("InvalidArguments", "Invalid Length", { .attribute(0x0D, $0) }),
            ("AuthenticationFailed", "Authentication Failed", { .pairing($0) }),
        ]
        for (name, message, expected) in table {
            let error = BusError(name: "org.bluez.Error.\(name)", message: message)
            #expect(BlueZFailure(error) == expected(error))
        }
    }

    @Test("A local call without a reply fails with daemonNotResponding")
    func local() {
        #expect(BlueZFailure(local: .noReply) == .daemonNotResponding)
        let unsupported = BusError(name: "org.bluez.Error.NotSupported", message: "no")
        #expect(BlueZFailure(local: unsupported) == .other(unsupported))
        let off = BusError(name: "org.bluez.Error.NotReady", message: "Resource Not Ready")
        #expect(BlueZFailure(local: off) == .adapterOff)
    }

    @Test("The state of a failure is never powered on")
    func unavailability() {
        #expect(BlueZFailure.adapterOff.unavailability(.poweredOn) == .poweredOff)
        #expect(BlueZFailure.adapterOff.unavailability(.blocked) == .blocked)
        #expect(BlueZFailure.daemonLost.unavailability(.poweredOn) == .serviceNotRunning)
        #expect(BlueZFailure.daemonLost.unavailability(.busUnavailable("")) == .busUnavailable(""))
        #expect(
            BlueZFailure.daemonNotResponding.unavailability(.poweredOn) == .serviceNotResponding
        )
        #expect(BlueZFailure.accessDenied("no").unavailability(.poweredOn) == .unauthorized("no"))
        #expect(BlueZFailure.timedOut.unavailability(.poweredOn) == nil)
    }

    @Test("A call without a reply times out and does not report a lost daemon")
    func ownLimit() {
        #expect(BlueZFailure(.noReply) == .timedOut)
    }

    @Test(
        "A failure without a text of bluetoothd has a reason in words",
        arguments: [
            BlueZFailure.adapterOff, .notConnected, .linkLost, .inProgress, .alreadyDone,
            .objectRemoved,
            .daemonLost, .cancelled, .queueFull, .timedOut, .daemonNotResponding,
        ]
    )
    func reason(failure: BlueZFailure) {
        #expect(failure.errorText == nil)
        #expect(failure.reason != "\(failure)")
    }

    @Test(
        "A message that resembles an ATT error has no code",
        arguments: ["", "0x81", "ATT error: 0x", "ATT error: 0x+8", "ATT error: 0x-0"]
    )
    func noCode(text: String) {
        #expect(BlueZFailure.attributeCode(in: text) == nil)
    }
}
