import Bluejay
import BluejaySimulator
import Foundation
import Staging
import TestTraits
import Testing

@Suite("Known iOS faults: listens", .timeLimit(.minutes(15)))
struct ListenTrapTests {
    @Test("A listen that is ended immediately ends silently, and the next one receives values")
    func endedAtOnce() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: silentGadget)
            let central = connected.central
            await central.forget()
            await central.run { central in
                for _ in 0..<3 {
                    central.recordListen("listen")
                    central.recordEndListen("end")
                }
                central.recordListen("next")
            }
            await central.settle()
            try await connected.peripheral.send([1], on: "2A37")
            await central.wait(for: "next")
            await central.expect(["end ok", "end ok", "end ok", "next 01"])
        }
    }

    @Test(
        "A listen reports its subscription once, asynchronously and before its first value",
        .pitfall(.valueBeforeReply)
    )
    func installed() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: silentGadget)
            let central = connected.central
            await central.forget()
            await central.run { central in
                for name in ["first", "second"] {
                    // Notifications are already on, so the second listen takes over inside the call.
                    central.bluejay.listen(
                        to: measurement,
                        as: UInt8.self,
                        multipleListenOption: .replaceable
                    ) { [weak central] result in
                        central?.recordEvent("\(name) \(result.text)")
                    } installed: { [weak central] in
                        central?.recordEvent("\(name) subscribed")
                    }
                }
                central.recordEvent("called")
            }
            await central.wait(for: "second subscribed")
            await central.run { central in
                central.bluejay.listen(to: measurement, as: UInt8.self) { _ in
                } installed: {
                    central.recordEvent("third subscribed")
                }
                central.recordEvent("called again")
                central.bluejay.endListen(to: measurement)
            }
            await central.settle()
            await central.expect([
                "called", "first subscribed", "first multipleListenReplaced", "second subscribed",
                "called again", "second multipleListenReplaced",
            ])
        }
    }

    @Test("A listen that fails to subscribe never reports a subscription")
    func notInstalled() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = try await context.connected(to: silentGadget).central
            await central.forget()
            await central.run { central in
                central.bluejay.listen(to: location, as: UInt8.self) { [weak central] result in
                    central?.recordEvent("listen \(result.text)")
                } installed: { [weak central] in
                    central?.recordEvent("subscribed")
                }
            }
            await central.wait(for: "listen")
            await central.settle()
            await central.expect(["listen notSupported"])
        }
    }

    @Test("A replacing listen that is cancelled immediately fails once and stays ended")
    func cancelledAtOnce() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: silentGadget)
            let central = connected.central
            await central.run { $0.bluejay.broadcastErrorsToListeners = true }
            await central.listen(measurement, option: .replaceable, as: "first")
            await central.settle()
            await central.forget()
            await central.run { central in
                // Notifications are already on, so the listen takes over inside the call.
                central.bluejay.listen(to: measurement, multipleListenOption: .replaceable) {
                    [weak central] (result: ReadResult<UInt8>) in
                    central?.recordEvent("second \(result.text)")
                }
                central.bluejay.cancelEverything(shouldDisconnect: false)
            }
            await central.settle()
            await central.listen(measurement, as: "third")
            await central.settle()
            try await connected.peripheral.send([1], on: "2A37")
            await central.wait(for: "third 1")
            await central.expect([
                "first failed: multipleListenReplaced", "second cancelled", "third 1",
            ])
        }
    }

    @Test("Reading a characteristic while listening does not call the listener")
    func readWhileListening() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: lateGadget)
            let central = connected.central
            await central.forget()
            await central.run { central in
                central.recordListen("listen")
                central.recordRead("read", of: measurement)
                central.recordRead("read", of: measurement)
            }
            await central.settle()
            try await connected.peripheral.send([6], on: "2A37")
            await central.wait(for: "listen")
            await central.expect(["read 05", "read 05", "listen 06"])
        }
    }

    @Test("A notification does not complete a pending read of another characteristic")
    func notificationDuringRead() async throws {
        try await withTestbed(isRecorded: false) { context in
            // A second service has a characteristic with the same UUID.
            var script = lateGadget
            let same = ScriptedCharacteristic("2A38", ["notify"], .value([]))
            script.services.append(PeripheralScript.Service("FFE0", [same]))
            let connected = try await context.connected(to: script)
            let central = connected.central
            let other = CharacteristicIdentifier(
                uuid: "2A38",
                service: ServiceIdentifier(uuid: "FFE0")
            )
            await central.forget()
            await central.run { central in
                central.recordListen("measurement")
                central.recordListen("other", to: other)
            }
            await central.settle()
            await central.run { $0.recordRead("read") }
            try await connected.peripheral.send([1], on: "2A37")
            await central.wait(for: "measurement")
            await central.wait(for: "read")
            #expect(await Set(central.record()) == ["measurement 01", "read 09"])
        }
    }

    @Test("A replacement that fails leaves the old listen running")
    func failedReplacement() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: lateGadget)
            let central = connected.central
            await central.run { $0.recordListen("old", option: .replaceable) }
            await central.settle()
            await central.forget()
            await central.run { central in
                central.recordRead("read")
                central.recordListen("new")
                central.bluejay.cancelEverything(shouldDisconnect: false)
            }
            try await connected.peripheral.send([1], on: "2A37")
            await central.wait(for: "old")
            // The old listen can still be replaced, as its option allows.
            await central.run { $0.recordListen("third") }
            await central.wait(for: "old multipleListenReplaced")
            await central.expect([
                "read cancelled", "new cancelled", "old 01", "old multipleListenReplaced",
            ])
        }
    }

    enum Ending: CaseIterable {
        case drop, off, queued, immediate, cancelled, stopped

        var error: String {
            switch self {
            case .drop: "notConnected"
            case .off: "bluetoothUnavailable"
            case .queued, .immediate: "explicitDisconnect"
            case .cancelled: "cancelled"
            case .stopped: "stopped"
            }
        }
    }

    @Test(
        "With broadcastErrorsToListeners, listeners receive the error of every ending",
        arguments: Ending.allCases
    )
    func broadcast(ending: Ending) async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: silentGadget)
            let central = connected.central
            await central.run { central in
                central.bluejay.broadcastErrorsToListeners = true
                central.recordListen("first")
                central.recordListen("third", to: controlPoint)
            }
            await central.settle()
            await central.forget()
            switch ending {
            case .drop: try await connected.peripheral.dropLink()
            case .off: try await context.testbed.setPowered(false)
            case .queued: await central.run { $0.bluejay.disconnect() }
            case .immediate: await central.run { $0.bluejay.disconnect(immediate: true) }
            case .cancelled: await central.run { $0.bluejay.cancelEverything() }
            case .stopped: await central.run { $0.bluejay.stopAndExtractBluetoothState() }
            }
            await central.wait(for: "first")
            if ending != .stopped { await central.wait(for: "disconnected") }
            let off = ending == .off ? ["available false"] : []
            let end = ending == .stopped ? [] : ["disconnected Gadget"]
            await central.expect(["first \(ending.error)"] + off + end)
        }
    }

    @Test(
        "Removing a service ends its listen, which can then be ended without an error",
        .fault(.servicesChange, during: .listen)
    )
    func vanishedService() async throws {
        try await withTestbed(isRecorded: false) { context in
            let service = ServiceIdentifier(uuid: "FFE0")
            let level = CharacteristicIdentifier(uuid: "FFE1", service: service)
            let script = ScriptedCharacteristic("FFE1", ["notify"], .value([]))
            let connected = try await context.connected(to: silentGadget)
            let (central, peripheral) = (connected.central, connected.peripheral)
            try await peripheral.addService(PeripheralScript.Service("FFE0", [script]))
            await central.wait(for: "services changed")
            await central.run { central in
                central.bluejay.broadcastErrorsToListeners = true
                central.recordListen("listen", to: level)
            }
            await central.settle()
            try await peripheral.removeService("FFE0")
            await central.wait(for: "listen missingService")
            #expect(await central.isListening(to: level) == false)
            await central.run { $0.recordEndListen("end", to: level) }
            await central.wait(for: "end ok")
            // After its return, the service is discovered again.
            await central.forget()
            try await peripheral.addService(PeripheralScript.Service("FFE0", [script]))
            await central.wait(for: "services changed")
            await central.run { $0.recordListen("again", to: level) }
            await central.settle()
            try await peripheral.send([1], on: "FFE1")
            await central.wait(for: "again 01")
        }
    }

    @Test("A value that arrives while endListen is queued is not reported as unhandled")
    func valueAfterEnd() async throws {
        try await withTestbed(isRecorded: false) { context in
            let connected = try await context.connected(to: lateGadget)
            let (manager, peripheral) = await connected.central.read {
                $0.bluejay.stopAndExtractBluetoothState()
            }
            #expect(manager.adapterPath != nil)
            let gadget = try #require(peripheral?.identifier)
            let central = await RecordingCentral.stopped(context.testbed.busAddress)
            let folder = FileManager.default.temporaryDirectory
                .appending(path: "bluejay-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: folder) }
            await central.run { central in
                let restorer = AskedRestorer(central)
                central.retainedObjects.append(restorer)
                var config = BackgroundRestoreConfig(
                    restoreIdentifier: "trap",
                    backgroundRestorer: restorer,
                    listenRestorer: restorer
                )
                config.stateDirectory = folder
                let options = StartOptions(
                    enableBluetoothAlert: false,
                    backgroundRestore: .enable(config)
                )
                central.bluejay.start(mode: .new(options))
            }
            try await central.connect(gadget)
            await central.run { $0.recordListen("listen") }
            await central.settle()
            await central.forget()
            await central.run { central in
                central.recordRead("read")
                central.recordEndListen("end")
            }
            try await connected.peripheral.send([1], on: "2A37")
            await central.wait(for: "end")
            await central.expect(["read 09", "end ok"])
        }
    }
}

private final class AskedRestorer: BackgroundRestorer, ListenRestorer {
    private weak var central: RecordingCentral?
    init(_ central: RecordingCentral) { self.central = central }

    func didRestoreConnection(to peripheral: PeripheralIdentifier) -> BackgroundRestoreCompletion {
        central?.recordEvent("restored")
        return .continue
    }

    func didFailToRestoreConnection(
        to peripheral: PeripheralIdentifier,
        error: any Error
    ) -> BackgroundRestoreCompletion {
        central?.recordEvent("not restored")
        return .continue
    }

    func didReceiveUnhandledListen(
        from peripheral: PeripheralIdentifier,
        on characteristic: CharacteristicIdentifier,
        with value: Data?
    ) -> ListenRestoreAction {
        central?.recordEvent("unhandled value")
        return .promiseRestoration
    }
}
