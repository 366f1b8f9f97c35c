import Bluejay
import BluejaySimulator
import Testing

/// The list “Connection States” of the document, word for word.
private struct States: Equatable, Swift.Sendable {
    var isBluetoothAvailable = false
    var isBluetoothStateUpdateImminent = false
    var isConnecting = false
    var isConnected = false
    var isDisconnecting = false
    var shouldAutoReconnect = true
    var isScanning = false
    var hasStarted = true
    var defaultWarningOptions = WarningOptions.default
    var isBackgroundRestorationEnabled = false

    init() {}

    init(_ bluejay: Bluejay) {
        isBluetoothAvailable = bluejay.isBluetoothAvailable
        isBluetoothStateUpdateImminent = bluejay.isBluetoothStateUpdateImminent
        isConnecting = bluejay.isConnecting
        isConnected = bluejay.isConnected
        isDisconnecting = bluejay.isDisconnecting
        shouldAutoReconnect = bluejay.shouldAutoReconnect
        isScanning = bluejay.isScanning
        hasStarted = bluejay.hasStarted
        defaultWarningOptions = bluejay.defaultWarningOptions
        isBackgroundRestorationEnabled = bluejay.isBackgroundRestorationEnabled
    }

    static func when(_ change: (inout States) -> Void) -> States {
        var states = States()
        states.isBluetoothAvailable = true
        change(&states)
        return states
    }
}

// Used only on the screen's loop, which justifies `@unchecked`.
private final class Asked: @unchecked Swift.Sendable {
    var states: States?
}

@Suite("Blocks of the iOS README: connection states", .timeLimit(.minutes(15)))
struct StateTests {
    @Test("Each state property matches its name and is available before start")
    func states() async throws {
        try await with(Screen.self, starts: false) { stage in
            var before = States()
            before.hasStarted = false
            check(await stage.read { States($0.bluejay) }, is: before)
            let starting = await stage.read { screen in
                screen.bluejay.start()
                return States(screen.bluejay)
            }
            var expected = States()
            expected.isBluetoothStateUpdateImminent = true
            #expect(starting == expected)
            await stage.notes.wait(for: "available true")
            check(await stage.read { States($0.bluejay) }, is: .when { _ in })

            await stage.on { $0.findAndConnect() }
            check(await stage.read { States($0.bluejay) }, is: .when { $0.isScanning = true })
            await stage.add { gadget() }
            await stage.notes.wait(for: "connected Gadget")
            check(await stage.read { States($0.bluejay) }, is: .when { $0.isConnected = true })
            let leaving = await stage.read { screen in
                screen.bluejay.disconnect(immediate: true)
                return States(screen.bluejay)
            }
            check(
                leaving,
                is: .when {
                    $0.isConnected = true
                    $0.isDisconnecting = true
                }
            )
            // The state changes only after the disconnection has succeeded.
            await stage.notes.wait(for: "disconnected Gadget")
            check(
                await stage.read { States($0.bluejay) },
                is: .when { $0.shouldAutoReconnect = false }
            )
        }
    }

    @Test("isConnecting is true while a connection is in progress")
    func connecting() async throws {
        try await with(Screen.self) { stage in
            await stage.add { gadget() }
            let asked = Asked()
            await stage.on { screen in
                screen.find { peripheral in
                    screen.bluejay.connect(peripheral) { _ in }
                    // Read at once: on a busy machine, the connection may succeed before a later read.
                    asked.states = States(screen.bluejay)
                }
            }
            await stage.notes.wait(for: "connected Gadget")
            let states = await stage.read { _ in asked.states }
            check(states ?? nil, is: .when { $0.isConnecting = true })
        }
    }
}
