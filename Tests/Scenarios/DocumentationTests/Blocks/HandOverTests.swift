import Bluejay
import BluejaySimulator
import Testing

private class HandOverScreen: Screen {
    lazy var other = Bluejay(mainLoop: bluejay.mainLoop)

    // swift-format-ignore
    // document: 34 hand over
    public func stopAndExtractBluetoothState() ->
        (manager: CBCentralManager, peripheral: CBPeripheral?)
    // end
    {
        bluejay.stopAndExtractBluetoothState()
    }

    func handOver() {
        let state = stopAndExtractBluetoothState()
        notes.write("extracted \(state.peripheral == nil ? "nothing" : "a peripheral")")
        take(over: state.manager, state.peripheral, with: other)
    }

    // swift-format-ignore
    func take(over anotherManager: CentralManager, _ alreadyConnectedPeripheral: ConnectedPeripheral?, with bluejay: Bluejay) {
        // document: 33 start with what is there already
        bluejay.start(mode: .use(manager: anotherManager, peripheral: alreadyConnectedPeripheral))
        // end
    }

    func read(with bluejay: Bluejay) {
        bluejay.read(from: bodySensorLocation) { [notes] (result: ReadResult<UInt8>) in
            switch result {
            case .success(let value): notes.write("read \(value)")
            case .failure(let error): notes.write("not read: \(error)")
            }
        }
    }
}

@Suite("Blocks of the iOS README: CoreBluetooth migration", .timeLimit(.minutes(15)))
struct HandOverTests {
    @Test("Blocks 33 and 34 hand over a connected peripheral without dropping the link")
    func handOver() async throws {
        try await with(HandOverScreen.self) { stage in
            await stage.connect(to: [ScriptedCharacteristic("2A38", ["read"], .value([7]))])
            await stage.on { $0.handOver() }
            #expect(stage.notes.lines.contains("extracted a peripheral"))
            check(await stage.read { $0.bluejay.hasStarted }, is: false)
            check(await stage.read { $0.other.hasStarted }, is: true)
            await stage.on { $0.read(with: $0.other) }
            await stage.notes.wait(for: "read 7")
            check(await stage.read { $0.other.isConnected }, is: true)
            check(await stage.ask { $0.isConnected }, is: true)
            #expect(!stage.notes.lines.contains("disconnected Gadget"))
            await stage.on { $0.read(with: $0.bluejay) }
            await stage.notes.wait(for: "not read")
        }
    }

    @Test("Blocks 33 and 34 also hand over and return the state without a peripheral")
    func handBack() async throws {
        try await with(HandOverScreen.self) { stage in
            await stage.on { $0.handOver() }
            #expect(stage.notes.lines.contains("extracted nothing"))
            await stage.on { screen in
                let state = screen.other.stopAndExtractBluetoothState()
                screen.take(over: state.manager, state.peripheral, with: screen.bluejay)
                screen.watch()
            }
            await stage.connect(to: [])
            check(await stage.ask { $0.isConnected }, is: true)
        }
    }
}
