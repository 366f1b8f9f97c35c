import BluejayCore
import Foundation
import TestTraits
import Testing

@testable import Bluejay

@Suite("The session of a connection")
struct ConnectionSessionTests {
    private let sensor = PeripheralIdentifier(uuid: UUID(), name: "Sensor")
    private let lock = PeripheralIdentifier(uuid: UUID(), name: "Lock")

    @Test("A connection to the lost peripheral is a reconnection; one to another peripheral is not")
    func same() {
        var session = ConnectionSession()
        let first = session.connected(sensor)
        _ = session.ended(.lost)
        let again = session.connected(sensor)
        _ = session.ended(.requested)
        let other = session.connected(lock)
        #expect([first, again, other] == [false, true, false])
    }

    @Test("A loss is reported with the reason of BlueZ, and the next loss without a reason")
    func reason() {
        var session = ConnectionSession()
        _ = session.connected(sensor)
        session.lost(.timeout)
        #expect(session.ended(.lost)?.error == .linkLost(.timeout))
        _ = session.connected(sensor)
        #expect(session.ended(.lost)?.error == .linkLost(.unknown))
    }

    @Test("A failed attempt is reported with the details of BlueZ")
    func attempt() {
        var session = ConnectionSession()
        session.attemptStarted(lock)
        session.attemptFailed(.connectionFailed("x"))
        let end = session.ended(.attempt(.unexpectedDisconnect))
        #expect(end?.peripheral == lock)
        #expect(end?.error == .connectionFailed("x"))
        #expect(session.ended(.attempt(.unexpectedDisconnect)) == nil)
    }

    @Test(
        "Pairing that changes the address changes the reconnection target",
        .pitfall(.addressChangesByPairing)
    )
    func moved() {
        var session = ConnectionSession()
        _ = session.connected(sensor)
        session.addressChanged(to: lock)
        #expect(session.peripheral == lock)
        #expect(session.reconnectTarget == lock)
    }

    @Test("A connection counts as announced only after the observers were notified")
    func announced() {
        var session = ConnectionSession()
        _ = session.connected(sensor)
        #expect(!session.isAnnounced)
        session.announced()
        #expect(session.isAnnounced)
        _ = session.ended(.lost)
        #expect(!session.isAnnounced)
    }
}
