import Bluejay
import Testing

private class ObservingScreen: Screen {
    lazy var batteryLabel = Label("battery", notes)
    lazy var rssiLabel = Label("rssi", notes)

    // swift-format-ignore
    func observe() {
        // document: 6 register a connection observer
        bluejay.register(connectionObserver: batteryLabel)
        // end
    }

    // swift-format-ignore
    func observeLess() {
        // document: 7 unregister a connection observer
        bluejay.unregister(connectionObserver: rssiLabel)
        // end
    }
}

private enum Document {
    // swift-format-ignore
    // document: 5 ConnectionObserver
    public protocol ConnectionObserver: AnyObject {
        func bluetoothAvailable(_ available: Bool)
        func connected(to peripheral: PeripheralIdentifier)
        func disconnected(from peripheral: PeripheralIdentifier)
    }
    // end
}

/// Conforms to the document's protocol and, through the same methods, to the library's.
private final class Label: Document.ConnectionObserver, ConnectionObserver {
    private let name: String
    private let notes: Notes

    init(_ name: String, _ notes: Notes) {
        self.name = name
        self.notes = notes
    }

    func bluetoothAvailable(_ available: Bool) { notes.write("\(name): available \(available)") }
    func connected(to peripheral: PeripheralIdentifier) {
        notes.write("\(name): connected \(peripheral.name)")
    }
    func disconnected(from peripheral: PeripheralIdentifier) {
        notes.write("\(name): disconnected \(peripheral.name)")
    }
}

@Suite("Blocks of the iOS README: Bluetooth events", .timeLimit(.minutes(15)))
struct ObservingTests {
    @Test("Block 5 declares an observer that receives all three events")
    func connectionObserver() async throws {
        try await with(ObservingScreen.self) { stage in
            await stage.on { $0.bluejay.register(connectionObserver: $0.rssiLabel) }
            await stage.connect(to: [])
            await stage.on { $0.bluejay.disconnect() }
            await stage.notes.wait(for: "rssi: disconnected")
            check(
                stage.notes.lines.filter { $0.hasPrefix("rssi") },
                is: [
                    "rssi: available true", "rssi: connected Gadget", "rssi: disconnected Gadget",
                ]
            )
        }
    }

    @Test("Block 6 registers an observer that receives the current state and later changes")
    func register() async throws {
        try await with(ObservingScreen.self) { stage in
            await stage.connect(to: [])
            await stage.on { $0.observe() }
            await stage.device { $0.leaveRange() }
            await stage.notes.wait(for: "battery: disconnected")
            check(
                stage.notes.lines.filter { $0.hasPrefix("battery") },
                is: [
                    "battery: available true", "battery: connected Gadget",
                    "battery: disconnected Gadget",
                ]
            )
        }
    }

    @Test("Block 7 unregisters an observer, which receives no further events")
    func unregister() async throws {
        try await with(ObservingScreen.self) { stage in
            await stage.on { screen in
                screen.bluejay.register(connectionObserver: screen.rssiLabel)
                screen.observe()
                screen.observeLess()
            }
            await stage.connect(to: [])
            await stage.notes.wait(for: "battery: connected")
            check(stage.notes.lines.filter { $0.hasPrefix("rssi") }, is: ["rssi: available true"])
        }
    }
}
