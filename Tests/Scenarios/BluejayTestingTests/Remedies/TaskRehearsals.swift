import Bluejay
import BluejayAsync
import BluejaySimulator
import BluejayTesting
import Foundation
import Synchronization

/// The errors of background tasks, of the restoration and of a stopped instance.
extension Rehearsal {
    static let backgroundTaskRunning = Rehearsal(
        "use its SynchronizedPeripheral, or wait until it ends"
    ) { stage in
        try await stage.startTask()
        try await stage.read()
    } remedy: { stage in
        try await stage.endTask()
        try await stage.read()
    }

    static let secondBackgroundTask = Rehearsal("wait until it ends") { stage in
        try await stage.startTask()
        try await stage.bluejay.run { _ in }
    } remedy: { stage in
        try await stage.endTask()
        try await stage.bluejay.run { _ in }
    }

    static let indefiniteFlush = Rehearsal("requires a timeout above zero, such as .seconds(3)") {
        stage in
        try await stage.connect()
        try await stage.flush(for: .none)
    } remedy: { stage in
        try await stage.flush(for: .seconds(3))
    }

    static let tooMuchData = Rehearsal("check the length of the messages") { stage in
        try await stage.connect()
        try await stage.assemble(expecting: 1)
    } remedy: { stage in
        try await stage.assemble(expecting: 2)
    }

    static let blockedMainLoop = Rehearsal("make blocking calls inside run(backgroundTask:)") {
        stage in
        try await stage.connect()
        let peripheral = Mutex<SynchronizedPeripheral?>(nil)
        try await stage.bluejay.run { owned in peripheral.withLock { $0 = owned } }
        _ = try peripheral.withLock { $0 }?.read(from: .gadget("FFE1"), as: UInt8.self)
    } remedy: { stage in
        _ = try await stage.bluejay.run { try $0.read(from: .gadget("FFE1"), as: UInt8.self) }
    }

    static let stopped = Rehearsal("call start() again") { stage in
        try await stage.connect()
        try await stage.beginHeldRead()
        await stage.bluejay.stopAndExtractBluetoothState()
        try stage.gadget { $0.release(.read, of: "FFE1") }
        try await stage.endPending()
    } remedy: { stage in
        await stage.bluejay.start()
        try await stage.bluejay.waitUntilReady()
        try await stage.connect()
        try await stage.read()
    }

    static let loopEnded = Rehearsal("create another instance if the loop has ended") {
        stage in
        let loop = MainLoop(threadName: "another loop")
        let other = Bluejay(mainLoop: loop, busAddress: stage.world.busAddress)
        await other.start()
        let identifier = try stage.identifier
        let result = await withCheckedContinuation { continuation in
            other.connect(identifier) { continuation.resume(returning: $0) }
            loop.stop()
        }
        if case .failure(let error) = result { throw error }
    } remedy: { stage in
        try await stage.connect()
        try await stage.read()
    }

    static let restorationInProgress = Rehearsal("wait for the background restorer") { stage in
        let restorer = try WaitingRestorer(stage.identifier)
        stage.others.append(restorer)
        await stage.bluejay.start(mode: restorer.mode)
        try await stage.read()
    } remedy: { stage in
        let restorer = stage.others.last as? WaitingRestorer
        try await stage.wait("the restorer was called") { restorer?.isRestored == true }
        try await stage.read()
    }
}

extension RehearsalStage {
    /// Starts a task that reads when it is released.
    fileprivate func startTask() async throws {
        try await connect()
        try gadget { $0.hold(.read, of: "FFE1") }
        begin { end in
            bluejay.run { peripheral in
                _ = try peripheral.read(from: .gadget("FFE1"), as: UInt8.self)
            } completionOnMainThread: { (result: RunResult<Void>) in
                if case .failure(let error) = result { end(error) } else { end(nil) }
            }
        }
        try await sleep(1)
    }

    /// Lets the read of the task end, and waits for the task.
    fileprivate func endTask() async throws {
        try gadget { $0.release(.read, of: "FFE1") }
        try await endPending()
    }

    fileprivate func flush(for timeout: Timeout) async throws {
        try await bluejay.run { peripheral in
            try peripheral.flushListen(to: .gadget("FFE1"), nonZeroTimeout: timeout) {}
        }
    }

    fileprivate func assemble(expecting length: Int) async throws {
        try await bluejay.run { peripheral in
            try peripheral.writeAndAssemble(
                writeTo: .gadget("FFE1"),
                value: Data([1, 2]),
                listenTo: .gadget("FFE1"),
                expectedLength: length,
                timeoutInSeconds: .seconds(10)
            ) { (_: Data) in .done }
        }
    }
}

/// A restorer with the state of an earlier run that was connected to a peripheral.
private final class WaitingRestorer: BackgroundRestorer, ListenRestorer, Swift.Sendable {
    private let folder = FileManager.default.temporaryDirectory
        .appending(path: UUID().uuidString)
    private let restored = Mutex(false)

    var isRestored: Bool { restored.withLock { $0 } }

    init(_ peripheral: PeripheralIdentifier) throws {
        let state = """
            {"version": 1, "identifier": "demo", "listens": [],
             "peripheral": {"uuid": "\(peripheral.uuid)", "name": "\(peripheral.name)"}}
            """
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(state.utf8).write(to: folder.appending(path: "demo.json"))
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    var mode: StartMode {
        var config = BackgroundRestoreConfig(
            restoreIdentifier: "demo",
            backgroundRestorer: self,
            listenRestorer: self
        )
        config.stateDirectory = folder
        let options = StartOptions(enableBluetoothAlert: false, backgroundRestore: .enable(config))
        return .new(options)
    }

    func didRestoreConnection(to peripheral: PeripheralIdentifier) -> BackgroundRestoreCompletion {
        restored.withLock { $0 = true }
        return .continue
    }

    func didFailToRestoreConnection(
        to peripheral: PeripheralIdentifier,
        error: any Error
    ) -> BackgroundRestoreCompletion { .continue }

    func didReceiveUnhandledListen(
        from peripheral: PeripheralIdentifier,
        on characteristic: CharacteristicIdentifier,
        with value: Data?
    ) -> ListenRestoreAction { .promiseRestoration }
}
