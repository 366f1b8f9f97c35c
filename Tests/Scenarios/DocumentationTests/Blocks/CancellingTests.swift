import Bluejay
import BluejaySimulator
import Testing

private class CancellingScreen: Screen {
    // swift-format-ignore
    func cancel() {
        // document: 17 cancel everything
        bluejay.cancelEverything()
        // end
    }

    // swift-format-ignore
    func cancelAndStay() {
        // document: 18 cancel everything and stay connected
        bluejay.cancelEverything(shouldDisconnect: false)
        // end
    }

    func read() {
        bluejay.read(from: bodySensorLocation) { [notes] (result: ReadResult<UInt8>) in
            switch result {
            case .success(let value): notes.write("read \(value)")
            case .failure(let error): notes.write("not read: \(error)")
            }
        }
    }
}

// Late instead of silent: BlueZ ends the link of a peripheral that never answers.
private let slow = [ScriptedCharacteristic("2A38", ["read"], .repliesLate([7], afterSeconds: 20))]

@Suite("Blocks of the iOS README: cancel everything", .timeLimit(.minutes(15)))
struct CancellingTests {
    private let failure =
        "not read: read of 2A38 of Gadget (C0:00:00:00:00:01): "
        + "\(BluejayError.cancelled)"

    @Test("Block 17 fails running and queued operations, and disconnects")
    func cancelEverything() async throws {
        try await with(CancellingScreen.self) { stage in
            await stage.connect(to: slow)
            await stage.on { screen in
                screen.read()
                screen.read()
                screen.cancel()
            }
            await stage.notes.wait(for: "disconnected Gadget")
            #expect(stage.notes.lines.suffix(3) == [failure, failure, "disconnected Gadget"])
            check(await stage.ask { $0.isConnected }, is: false)
        }
    }

    @Test("Block 18 fails all operations without shouldDisconnect and keeps the connection usable")
    func cancelAndStay() async throws {
        try await with(CancellingScreen.self) { stage in
            await stage.connect(to: slow)
            await stage.on { screen in
                screen.read()
                screen.read()
                screen.cancelAndStay()
            }
            await stage.notes.wait(for: failure, count: 2)
            check(await stage.read { $0.bluejay.isConnected }, is: true)
            await stage.on { $0.read() }
            await stage.notes.wait(for: "read 7")
            #expect(!stage.notes.lines.contains("disconnected Gadget"))
        }
    }
}
