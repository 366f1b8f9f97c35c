import BluejayDBus
import Testing

@testable import BluejayBlueZ

@Suite("Links of a killed bluetoothd")
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

    @Test("A device that is connected when first reported, right after the start, has a stale link")
    func early() {
        let told = Telling()
        var links = StaleLinks(daemonStartTime: .seconds(10))
        links.apply(told.changes, in: told.objects, now: .seconds(11))
        #expect(links.contains(Self.device))
        links = StaleLinks(daemonStartTime: .seconds(10))
        links.objectsRead(told.objects, now: .seconds(11))
        #expect(links.contains(Self.device))
    }

    @Test("A link reported later, or by a bluetoothd that was running before, is not stale")
    func late() {
        let told = Telling()
        for (began, now) in [(Duration.seconds(10), Duration.seconds(15)), (nil, .seconds(1))] {
            var links = StaleLinks(daemonStartTime: began)
            links.apply(told.changes, in: told.objects, now: now)
            links.objectsRead(told.objects, now: now)
            #expect(!links.contains(Self.device))
        }
    }

    @Test("A link with resolved services is not stale")
    func resolved() {
        let told = Telling(isResolved: true)
        var links = StaleLinks(daemonStartTime: .zero)
        links.apply(told.changes, in: told.objects, now: .seconds(1))
        #expect(!links.contains(Self.device))
    }

    @Test(
        "A stale link is forgotten when the link ends or the device is removed",
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
