import Bluejay
import BluejaySimulator
import Foundation
import Testing

private class ConnectingScreen: Screen {
    var sensor: PeripheralIdentifier?

    // swift-format-ignore
    func connect(_ selectedSensor: PeripheralIdentifier) {
        let debugPrint = notes.write
        // document: 12 connect
        bluejay.connect(selectedSensor, timeout: .seconds(15)) { result in
            switch result {
            case .success:
                debugPrint("Connection attempt to: \(selectedSensor.description) is successful")
            case .failure(let error):
                debugPrint("Failed to connect with error: \(error.localizedDescription)")
            }
        }
        // end
    }

    // swift-format-ignore
    func disconnect() {
        // document: 14 disconnect
        bluejay.disconnect()
        // end
    }

    // swift-format-ignore
    func disconnectInTurn() {
        // document: 15 queued disconnect
        bluejay.disconnect()
        // end
    }

    // swift-format-ignore
    func disconnectAtOnce() {
        // document: 16 immediate disconnect
        bluejay.disconnect(immediate: true)
        // end
    }

    func connect(_ timeout: Document.Timeout) {
        guard let sensor else { return notes.write("no sensor") }
        bluejay.connect(sensor, timeout: timeout.ours) { [notes] result in
            if case .failure(let error) = result { notes.write("not connected: \(error)") }
        }
    }

    func read(_ characteristic: CharacteristicIdentifier) {
        bluejay.read(from: characteristic) { [notes] (result: ReadResult<UInt8>) in
            switch result {
            case .success(let value): notes.write("read \(value)")
            case .failure(let error): notes.write("not read: \(error)")
            }
        }
    }
}

private enum Document {
    // swift-format-ignore
    // document: 13 Timeout
    public enum Timeout {
        case seconds(TimeInterval)
        case none
    }
    // end
}

extension Document.Timeout {
    fileprivate var ours: Timeout {
        switch self {
        case .seconds(let seconds): .seconds(seconds)
        case .none: .none
        }
    }
}

extension Timeout {
    /// Has no `default`, so the library and the document must have the same cases.
    fileprivate var documents: Document.Timeout {
        switch self {
        case .seconds(let seconds): .seconds(seconds)
        case .none: .none
        }
    }
}

// Late instead of silent: BlueZ ends the link of a peripheral that never answers.
private let slow = [ScriptedCharacteristic("2A38", ["read"], .repliesLate([7], afterSeconds: 10))]

@Suite("Blocks of the iOS README: connecting and disconnecting", .timeLimit(.minutes(15)))
struct ConnectingTests {
    @Test("Block 12 reports a connection with the description of the peripheral")
    func connect() async throws {
        try await with(ConnectingScreen.self) { stage in
            await stage.add { gadget() }
            await stage.on { screen in screen.find { screen.connect($0) } }
            await stage.notes.wait(for: "Connection attempt")
            let line = stage.notes.lines.first { $0.hasPrefix("Connection attempt") }
            #expect(line == "Connection attempt to: Gadget (\(gadgetAddress)) is successful")
            check(await stage.ask { $0.isConnected }, is: true)
        }
    }

    @Test("Block 12 reports a failed connection with its reason")
    func failingConnect() async throws {
        try await with(ConnectingScreen.self) { stage in
            await stage.on { screen in
                screen.connect(PeripheralIdentifier(uuid: UUID(), name: "Unknown"))
            }
            await stage.notes.wait(for: "Failed to connect with error: ")
            check(await stage.read { $0.bluejay.isConnected }, is: false)
        }
    }

    @Test("Block 13 ends an attempt after the timeout, and never without one")
    func timeout() async throws {
        #expect(Document.Timeout.seconds(15).ours == .seconds(15))
        #expect(Document.Timeout.none.ours == Timeout.none)
        if case .seconds(let seconds) = Timeout.seconds(2.5).documents { #expect(seconds == 2.5) }
        try await with(ConnectingScreen.self) { stage in
            await stage.add { gadget() }
            await stage.on { screen in screen.find { screen.sensor = $0 } }
            await stage.notes.wait(for: "found Gadget")
            await stage.device { $0.leaveRange() }
            await stage.on { $0.connect(.seconds(0.2)) }
            await stage.notes.wait(
                for: "not connected: connect to Gadget (C0:00:00:00:00:01): "
                    + "\(BluejayError.connectionTimedOut)"
            )
            await stage.on { $0.connect(.none) }
            await stage.device { $0.returnToRange() }
            await stage.notes.wait(for: "connected Gadget")
            check(await stage.ask { $0.isConnected }, is: true)
        }
    }

    @Test("Block 14 disconnects")
    func disconnect() async throws {
        try await with(ConnectingScreen.self) { stage in
            await stage.connect(to: [])
            await stage.on { $0.disconnect() }
            await stage.notes.wait(for: "disconnected Gadget")
            check(await stage.ask { $0.isConnected }, is: false)
            check(await stage.read { $0.bluejay.isConnected }, is: false)
        }
    }

    @Test("Block 15 disconnects after the queued read")
    func queuedDisconnect() async throws {
        try await with(ConnectingScreen.self) { stage in
            await stage.connect(to: slow)
            await stage.on { screen in
                screen.read(bodySensorLocation)
                screen.disconnectInTurn()
            }
            await stage.notes.wait(for: "disconnected Gadget")
            #expect(stage.notes.lines.suffix(2) == ["read 7", "disconnected Gadget"])
        }
    }

    @Test("Block 16 fails running and queued operations, and disconnects immediately")
    func immediateDisconnect() async throws {
        try await with(ConnectingScreen.self) { stage in
            await stage.connect(to: slow)
            await stage.on { screen in
                screen.read(bodySensorLocation)
                screen.read(bodySensorLocation)
                screen.disconnectAtOnce()
            }
            await stage.notes.wait(for: "disconnected Gadget")
            let failure =
                "not read: read of 2A38 of Gadget (C0:00:00:00:00:01): "
                + "\(BluejayError.explicitDisconnect)"
            #expect(stage.notes.lines.suffix(3) == [failure, failure, "disconnected Gadget"])
            check(await stage.ask { $0.isConnected }, is: false)
        }
    }
}
