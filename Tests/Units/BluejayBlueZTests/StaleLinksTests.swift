import BluejayDBus
import Testing

@testable import BluejayBlueZ

@Suite("Links of a bluetoothd that was killed")
struct StaleLinksTests {
    private static let device: ObjectPath = "/org/bluez/hci0/dev_C0_00_00_00_00_01"

    /// A device that is reported as connected.
    private struct Telling {
        var objects = ObjectTree()
        let changes: [ObjectTree.Change]

        init(isResolved: Bool = false) {
            let properties: ObjectTree.Properties = [
                "Connected": .boolean(true), "ServicesResolved": .boolean(isResolved),
            ]
            changes = objects.interfacesAdded(device, content([Device1.interface: properties]))
        }
    }

    @Test("32.21: a device that has a link when it is first told of, right after the beginning")
    func early() {
        let told = Telling()
        var links = StaleLinks(daemonStartTime: .seconds(10))
        links.apply(told.changes, in: told.objects, now: .seconds(11))
        #expect(links.contains(Self.device))
        links = StaleLinks(daemonStartTime: .seconds(10))
        links.objectsRead(told.objects, now: .seconds(11))
        #expect(links.contains(Self.device))
    }

    @Test("Later, or under a bluetoothd that was there before, it is somebody's link")
    func late() {
        let told = Telling()
        for (began, now) in [(Duration.seconds(10), Duration.seconds(15)), (nil, .seconds(1))] {
            var links = StaleLinks(daemonStartTime: began)
            links.apply(told.changes, in: told.objects, now: now)
            links.objectsRead(told.objects, now: now)
            #expect(!links.contains(Self.device))
        }
    }

    @Test("A link with services is none")
    func resolved() {
        let told = Telling(isResolved: true)
        var links = StaleLinks(daemonStartTime: .zero)
        links.apply(told.changes, in: told.objects, now: .seconds(1))
        #expect(!links.contains(Self.device))
    }

    @Test(
        "It is forgotten when the link ends, or the device goes",
        arguments: [
            ObjectTree.Change.removed(device, interface: Device1.interface),
            .changed(
                device,
                interface: Device1.interface,
                values: ["Connected": .boolean(false)],
                invalidated: []
            ),
        ]
    )
    func ends(_ change: ObjectTree.Change) {
        let told = Telling()
        var links = StaleLinks(daemonStartTime: .zero)
        links.apply(told.changes, in: told.objects, now: .seconds(1))
        links.apply([change], in: told.objects, now: .seconds(20))
        #expect(!links.contains(Self.device))
    }
}
