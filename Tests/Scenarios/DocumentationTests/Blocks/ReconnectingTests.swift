import Bluejay
import Testing

private class ReconnectingScreen: Screen, DisconnectHandler {
    // swift-format-ignore
    // document: 19 disconnect handler
    func didDisconnect(
      from peripheral: PeripheralIdentifier,
      with error: Error?,
      willReconnect autoReconnect: Bool) -> AutoReconnectMode {
        return .change(shouldAutoReconnect: false)
    }
    // end

    // swift-format-ignore
    func register() {
        // document: 20 register the disconnect handler
        bluejay.registerDisconnectHandler(handler: self)
        // end
    }
}

@Suite("Blocks of the iOS README: auto reconnect", .timeLimit(.minutes(15)))
struct ReconnectingTests {
    @Test("Blocks 19 and 20 register a handler that disables reconnecting")
    func veto() async throws {
        try await with(ReconnectingScreen.self) { stage in
            await stage.on { $0.register() }
            await stage.connect(to: [])
            check(await stage.read { $0.bluejay.shouldAutoReconnect }, is: true)
            await stage.device { $0.dropLink() }
            await stage.notes.wait(for: "disconnected Gadget")
            // The handler runs after the observers, in the same iteration.
            check(await stage.read { $0.bluejay.shouldAutoReconnect }, is: false)
            check(await stage.read { $0.bluejay.isConnecting }, is: false)
            // The peripheral advertises again, so a reconnect would succeed.
            await stage.on { screen in screen.find { _ in } }
            await stage.notes.wait(for: "found Gadget", count: 2)
            check(await stage.ask { $0.isConnected }, is: false)
            check(stage.notes.lines.count { $0 == "connected Gadget" }, is: 1)
        }
    }

    @Test("Without the handler of block 20 a lost peripheral is reconnected")
    func reconnect() async throws {
        try await with(ReconnectingScreen.self) { stage in
            await stage.connect(to: [])
            await stage.device { $0.dropLink() }
            await stage.notes.wait(for: "connected Gadget", count: 2)
            check(await stage.ask { $0.isConnected }, is: true)
        }
    }
}
