import TestTraits
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

    @Test("Values are delivered from the reply on", .pitfall(.valueBeforeReply))
    func answered() {
        var notifications = ActiveNotifications()
        let token = asked(&notifications, 1)
        #expect(!notifications.isOn(battery))
        notifications.replied(battery, token, isOn: true)
        #expect(notifications.isOn(battery))
    }

    @Test("A refused subscription has nothing to end")
    func refused() {
        var notifications = ActiveNotifications()
        let token = asked(&notifications, 1)
        notifications.replied(battery, token, isOn: false)
        #expect(!notifications.isOn(battery))
        #expect(notifications.remove(battery) == nil)
    }

    @Test("A requested subscription is returned once, for its end")
    func removed() {
        var notifications = ActiveNotifications()
        _ = asked(&notifications, 7)
        #expect(notifications.remove(battery) == LinkRequestID(id: 7))
        #expect(notifications.remove(battery) == nil)
    }

    @Test("A late reply or end of an earlier subscription does not change the current one")
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

    @Test("A removed characteristic is reported once, and has nothing to end")
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

    @Test("The end of the link clears all subscriptions and unreported removals")
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
