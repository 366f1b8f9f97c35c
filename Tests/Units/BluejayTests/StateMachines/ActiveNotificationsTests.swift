import Testing

@testable import Bluejay
@testable import BluejayBlueZ

@Suite("Subscriptions of the connected peripheral")
struct ActiveNotificationsTests {
    private let battery = CharacteristicIdentifier.batteryLevel

    private func asked(_ notifications: inout ActiveNotifications, _ number: Int) -> Int {
        let token = notifications.start(battery)
        notifications.requested(battery, token, LinkRequestID(id: number))
        return token
    }

    @Test("Values come from the answer on, and not before")
    func answered() {
        var notifications = ActiveNotifications()
        let token = asked(&notifications, 1)
        #expect(!notifications.isOn(battery))
        notifications.replied(battery, token, isOn: true)
        #expect(notifications.isOn(battery))
    }

    @Test("After an answer that refuses there is nothing to end")
    func refused() {
        var notifications = ActiveNotifications()
        let token = asked(&notifications, 1)
        notifications.replied(battery, token, isOn: false)
        #expect(!notifications.isOn(battery))
        #expect(notifications.remove(battery) == nil)
    }

    @Test("What was asked for is given back once, to be ended")
    func removed() {
        var notifications = ActiveNotifications()
        _ = asked(&notifications, 7)
        #expect(notifications.remove(battery) == LinkRequestID(id: 7))
        #expect(notifications.remove(battery) == nil)
    }

    @Test("An answer and an end of an earlier subscription change nothing of the present one")
    func late() {
        var notifications = ActiveNotifications()
        let first = asked(&notifications, 1)
        _ = notifications.remove(battery)
        let second = asked(&notifications, 2)
        notifications.replied(battery, first, isOn: true)
        #expect(!notifications.isOn(battery))
        notifications.replied(battery, second, isOn: true)
        notifications.replied(battery, first, isOn: false)
        notifications.characteristicRemoved(battery, first)
        notifications.requested(battery, first, LinkRequestID(id: 1))
        #expect(notifications.isOn(battery))
        #expect(notifications.removed.isEmpty)
        #expect(notifications.remove(battery) == LinkRequestID(id: 2))
    }

    @Test("A characteristic that has gone is told once, and has nothing to end")
    func vanished() {
        var notifications = ActiveNotifications()
        let token = asked(&notifications, 1)
        notifications.replied(battery, token, isOn: true)
        notifications.characteristicRemoved(battery, token)
        #expect(!notifications.isOn(battery))
        #expect(notifications.drainRemoved() == [battery])
        #expect(notifications.drainRemoved().isEmpty)
        #expect(notifications.remove(battery) == nil)
    }

    @Test("The end of the link forgets all of them, and what had vanished")
    func linkEnded() {
        var notifications = ActiveNotifications()
        let token = asked(&notifications, 1)
        notifications.replied(battery, token, isOn: true)
        notifications.characteristicRemoved(battery, token)
        _ = asked(&notifications, 2)
        notifications.removeAll()
        #expect(notifications.drainRemoved().isEmpty)
        #expect(notifications.remove(battery) == nil)
    }
}
