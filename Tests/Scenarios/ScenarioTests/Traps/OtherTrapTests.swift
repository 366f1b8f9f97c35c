import Bluejay
import BluejaySimulator
import Foundation
import Staging
import TestSupport
import Testing

@Suite("Known iOS faults: other calls", .timeLimit(.minutes(15)))
struct OtherTrapTests {
    @Test("A write without response succeeds once it is sent")
    func withoutResponse() async throws {
        try await withTestbed(isRecorded: false) { context in
            let flags = ["write-without-response"]
            let connected = try await context.connected(
                to: .gadget([ScriptedCharacteristic("2A39", flags, .value([]))])
            )
            let central = connected.central
            await central.forget()
            await central.run { central in
                central.recordWrite("first", 1, type: .withoutResponse)
                central.recordEvent("returned")
            }
            await central.wait(for: "first")
            // A write without response has no confirmation of its arrival.
            try await wait { try await !connected.peripheral.writes().isEmpty }
            #expect(try await connected.peripheral.writes() == ["2A39 01"])
            await central.expect(["returned", "first ok"])
            // A write after the end of the link must fail.
            await central.forget()
            try await connected.peripheral.dropLink()
            await central.wait(for: "disconnected")
            await central.run { $0.recordWrite("late", 2, type: .withoutResponse) }
            await central.expect(["disconnected Gadget", "late notConnected"])
        }
    }

    enum Left: String, CaseIterable {
        case nothing, foreign, damaged
    }

    @Test(
        "Starting with released restorers and no usable saved state reports nothing",
        arguments: Left.allCases
    )
    func quietRestoration(left: Left) async throws {
        try await withTestbed(isRecorded: false) { context in
            let peripheral = try await context.testbed.add(silentGadget)
            let folder = FileManager.default.temporaryDirectory
                .appending(path: "bluejay-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: folder) }
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let contents = ["foreign": "{\"version\": 1}", "damaged": "{\"perip"][left.rawValue]
            try contents?.write(
                to: folder.appending(path: "trap.json"),
                atomically: true,
                encoding: .utf8
            )
            let central = await RecordingCentral.stopped(context.testbed.busAddress)
            await central.run { $0.start(restoring: folder) }
            try await central.connect(try await central.find())
            await central.expect(["available true", "connected Gadget"])
            try await peripheral.dropLink()
            await central.wait(for: "disconnected")
        }
    }

    @Test("A connection is restored even if its restorers have been released")
    func deadRestorers() async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.testbed.add(silentGadget)
            let folder = FileManager.default.temporaryDirectory
                .appending(path: "bluejay-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: folder) }
            let first = await RecordingCentral.stopped(context.testbed.busAddress)
            await first.run { $0.start(restoring: folder) }
            try await first.connect(try await first.find())
            await first.wait(for: "connected")
            let file = folder.appending(path: "trap.json")
            let state = try Data(contentsOf: file)
            // Simulates a killed program, whose state file remains.
            await first.run { $0.bluejay.stopAndExtractBluetoothState() }
            try state.write(to: file)
            let second = await RecordingCentral.stopped(context.testbed.busAddress)
            await second.run { $0.start(restoring: folder) }
            await second.wait(for: "connected Gadget")
            #expect(try await second.value(of: controlPoint, as: UInt8.self) == 7)
        }
    }

    @Test("As documented, a rejected disconnect does not disable reconnecting")
    func refusedDisconnect() async throws {
        try await withTestbed(isRecorded: false) { context in
            let central = await context.availableCentral(reconnects: true)
            await central.run { $0.recordDisconnect("disconnect") }
            await central.expect(["disconnect notConnected"])
            #expect(await central.state(\.shouldAutoReconnect) == true)
        }
    }

    @Test("As documented, a connect action accepts two arguments, and timeouts are in seconds")
    func spellings() async throws {
        try await withTestbed(isRecorded: false) { context in
            _ = try await context.testbed.add(echoGadget)
            let central = await context.availableCentral(adapter: "hci0")
            await central.run { central in
                central.recordScan("scan") { discovery, _ in
                    .connect(discovery) { central.recordEvent("connect \($0.text)") }
                }
            }
            await central.wait(for: "connected")
            await central.expect([
                "scan found 1", "scan stopped ok", "connect ok", "connected Gadget",
            ])
            for limit in [.seconds(15), 15] as [Timeout] {
                let answer = try await central.task { peripheral in
                    var answer: UInt8 = 0
                    try peripheral.writeAndListen(
                        writeTo: controlPoint,
                        value: UInt8(42),
                        listenTo: controlPoint,
                        timeoutInSeconds: limit
                    ) { (value: UInt8) -> ListenAction in
                        answer = value
                        return .done
                    }
                    return answer
                }
                #expect(answer == 42)
            }
        }
    }
}

extension RecordingCentral {
    /// Starts with a restore identifier and with restorers that are released at once.
    fileprivate func start(restoring folder: URL) {
        let restorer = Goner()
        var config = BackgroundRestoreConfig(
            restoreIdentifier: "trap",
            backgroundRestorer: restorer,
            listenRestorer: restorer
        )
        config.stateDirectory = folder
        let options = StartOptions(enableBluetoothAlert: false, backgroundRestore: .enable(config))
        bluejay.start(mode: .new(options))
    }
}

private final class Goner: BackgroundRestorer, ListenRestorer {
    func didRestoreConnection(to peripheral: PeripheralIdentifier) -> BackgroundRestoreCompletion {
        .continue
    }

    func didFailToRestoreConnection(
        to peripheral: PeripheralIdentifier,
        error: any Error
    ) -> BackgroundRestoreCompletion {
        .continue
    }

    func didReceiveUnhandledListen(
        from peripheral: PeripheralIdentifier,
        on characteristic: CharacteristicIdentifier,
        with value: Data?
    ) -> ListenRestoreAction {
        .stopListen
    }
}
