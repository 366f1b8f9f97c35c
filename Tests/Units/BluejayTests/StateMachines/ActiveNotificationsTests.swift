import Testing

@testable import Bluejay
@testable import BluejayBlueZ

@Suite("Subscriptions of the connected peripheral")
struct NotificationsTests {
    private let battery = CharacteristicIdentifier.batteryLevel

    private func asked(_ notifications: inout ActiveNotifications, _ number: Int) -> Int {
        let token = notifications.begin(battery)
        notifications.asked(battery, token, LinkRequestID(number: number))
        return token
    }

    @Test("Values come from the answer on, and not before")
    func answered() {
        var notifications = ActiveNotifications()
        let token = asked(&notifications, 1)
        #expect(!notifications.isOn(battery))
        notifications.answered(battery, token, isOn: true)
        #expect(notifications.isOn(battery))
    }

    @Test("After an answer that refuses there is nothing to end")
    func refused() {
        var notifications = ActiveNotifications()
        let token = asked(&notifications, 1)
        notifications.answered(battery, token, isOn: false)
        #expect(!notifications.isOn(battery))
        #expect(notifications.remove(battery) == nil)
    }

    @Test("What was asked for is given back once, to be ended")
    func removed() {
        var notifications = ActiveNotifications()
        _ = asked(&notifications, 7)
        #expect(notifications.remove(battery) == LinkRequestID(number: 7))
        #expect(notifications.remove(battery) == nil)
    }

    @Test("An answer and an end of an earlier subscription change nothing of the present one")
    func late() {
        var notifications = ActiveNotifications()
        let first = asked(&notifications, 1)
        _ = notifications.remove(battery)
        let second = asked(&notifications, 2)
        notifications.answered(battery, first, isOn: true)
        #expect(!notifications.isOn(battery))
        notifications.answered(battery, second, isOn: true)
        notifications.answered(battery, first, isOn: false)
        notifications.ended(battery, first)
        notifications.asked(battery, first, LinkRequestID(number: 1))
        #expect(notifications.isOn(battery))
        #expect(notifications.vanished.isEmpty)
        #expect(notifications.remove(battery) == LinkRequestID(number: 2))
    }

    @Test("A characteristic that has gone is told once, and has nothing to end")
    func vanished() {
        var notifications = ActiveNotifications()
        let token = asked(&notifications, 1)
        notifications.answered(battery, token, isOn: true)
        notifications.ended(battery, token)
        #expect(!notifications.isOn(battery))
        #expect(notifications.takeVanished() == [battery])
        #expect(notifications.takeVanished().isEmpty)
        #expect(notifications.remove(battery) == nil)
    }

    @Test("The end of the link forgets all of them, and what had vanished")
    func linkEnded() {
        var notifications = ActiveNotifications()
        let token = asked(&notifications, 1)
        notifications.answered(battery, token, isOn: true)
        notifications.ended(battery, token)
        _ = asked(&notifications, 2)
        notifications.removeAll()
        #expect(notifications.takeVanished().isEmpty)
        #expect(notifications.remove(battery) == nil)
    }
}
