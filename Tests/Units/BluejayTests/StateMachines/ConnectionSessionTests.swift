import BluejayCore
import Foundation
import Testing

@testable import Bluejay

@Suite("What is connected")
struct ConnectionSessionTests {
    private let sensor = PeripheralIdentifier(uuid: UUID(), name: "Sensor")
    private let lock = PeripheralIdentifier(uuid: UUID(), name: "Lock")

    @Test("A connection to the same peripheral is the one that was lost, another is not")
    func same() {
        var session = ConnectionSession()
        let first = session.connected(sensor)
        _ = session.ended(.lost)
        let again = session.connected(sensor)
        _ = session.ended(.requested)
        let other = session.connected(lock)
        #expect([first, again, other] == [false, true, false])
    }

    @Test("A loss is told with the reason of BlueZ, a second one without")
    func reason() {
        var session = ConnectionSession()
        _ = session.connected(sensor)
        session.lost(.timeout)
        #expect(session.ended(.lost)?.error == .linkLost(.timeout))
        _ = session.connected(sensor)
        #expect(session.ended(.lost)?.error == .linkLost(.unknown))
    }

    @Test("A failed attempt is told with what BlueZ knows beyond its error")
    func attempt() {
        var session = ConnectionSession()
        session.attemptStarted(lock)
        session.attemptFailed(.connectionFailed("x"))
        let end = session.ended(.attempt(.unexpectedDisconnect))
        #expect(end?.peripheral == lock)
        #expect(end?.error == .connectionFailed("x"))
        #expect(session.ended(.attempt(.unexpectedDisconnect)) == nil)
    }

    @Test("Pairing that tells another address changes what is connected again")
    func moved() {
        var session = ConnectionSession()
        _ = session.connected(sensor)
        session.addressChanged(to: lock)
        #expect(session.peripheral == lock)
        #expect(session.reconnectTarget == lock)
    }

    @Test("The observers have heard of a connection only when they were told")
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
