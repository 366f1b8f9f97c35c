import Bluejay
import BluejaySimulator
import TestSupport
import Testing

/// A simulated BlueZ, a main loop, and a screen on that loop.
///
/// The screen is created, used and released on the loop, which justifies `@unchecked`.
final class ScreenStage<S: Screen>: @unchecked Swift.Sendable {
    let notes = Notes()
    let system: SimulatedSystem
    private let loop = MainLoop(threadName: "screen")
    private var held: S?

    fileprivate init(_ options: SimulatorOptions) async throws {
        system = try await SimulatedSystem.start(options)
    }

    fileprivate func open(starting: Bool) async {
        await run { [loop, notes, system] stage in
            let screen = S(Bluejay(mainLoop: loop, busAddress: system.busAddress), notes)
            stage.held = screen
            if starting { screen.bluejay.start() }
        }
        if starting { await notes.wait(for: "available true") }
    }

    fileprivate func close() async {
        await run { $0.held = nil }
        system.stop()
    }

    private func run(_ work: @escaping @Sendable (ScreenStage<S>) -> Void) async {
        await withCheckedContinuation { continuation in
            loop.post { [self] in
                work(self)
                continuation.resume()
            }
        }
    }

    func on(_ work: @escaping @Sendable (S) -> Void) async {
        await run { stage in
            if let screen = stage.held { work(screen) }
        }
    }

    func read<R: Swift.Sendable>(_ work: @escaping @Sendable (S) -> R) async -> R? {
        await withCheckedContinuation { continuation in
            loop.post { [self] in continuation.resume(returning: held.map(work)) }
        }
    }

    func add(_ device: @escaping @Sendable () -> SimulatedDevice) async {
        await system.perform { $0.add(device()) }
    }

    /// Runs `work` with the peripheral at `address`, by default the gadget.
    func device(
        _ address: String = gadgetAddress,
        _ work: @escaping @Sendable (SimulatedDevice) -> Void
    ) async {
        await system.perform { world in
            if let device = world.device(address) { work(device) }
        }
    }

    func ask<R: Swift.Sendable>(_ work: @escaping @Sendable (SimulatedDevice) -> R) async -> R? {
        await system.read { $0.device(gadgetAddress).map(work) } ?? nil
    }

    /// The writes that the peripheral received, as `2A39 [1]`.
    func writes() async -> [String] {
        await ask { device in
            device.writes.map { write in
                "\(write.characteristic.prefix(8).suffix(4).uppercased()) \(write.value)"
            }
        } ?? []
    }

    /// Waits until all calls of the screen have completed.
    ///
    /// Ends a nonexistent listen, which waits in the queue and has no effect.
    func settle() async {
        await withCheckedContinuation { continuation in
            loop.post { [self] in
                guard let held else { return continuation.resume() }
                held.bluejay.endListen(to: nobodys) { _ in continuation.resume() }
            }
        }
    }

    func connect(to characteristics: [ScriptedCharacteristic]) async {
        await add { gadget(characteristics) }
        await on { $0.findAndConnect() }
        await notes.wait(for: "connected Gadget")
    }
}

private let nobodys = CharacteristicIdentifier(uuid: "2AFF", service: heartRateService)

let gadgetAddress = "C0:00:00:00:00:01"

/// A peripheral that advertises the heart rate service with these characteristics.
func gadget(_ characteristics: [ScriptedCharacteristic] = []) -> SimulatedDevice {
    let device = SimulatedDevice(address: gadgetAddress, name: "Gadget", advertising: ["180D"])
    device.addService("180D", characteristics)
    return device
}

/// Runs a test with a screen of the document on its own simulated BlueZ.
///
/// - Parameters:
///   - screen: The class that contains the block.
///   - starts: Whether Bluejay is started first.
///   - isPowered: Whether the adapter is on.
///   - play: The test.
/// - Throws: The errors of the test and of starting the simulator.
func with<S: Screen>(
    _ screen: S.Type,
    starts: Bool = true,
    isPowered: Bool = true,
    _ play: (ScreenStage<S>) async throws -> Void
) async throws {
    let slot = await BusSlot.acquire()
    defer { withExtendedLifetime(slot) {} }
    var options = SimulatorOptions()
    options.timeScale = 0.1
    options.isPowered = isPowered
    let stage = try await ScreenStage<S>(options)
    await stage.open(starting: starts)
    do {
        try await play(stage)
    } catch {
        await stage.close()
        throw error
    }
    await stage.close()
}

extension ScreenStage {
    /// Waits until the peripheral's characteristic has a subscriber.
    func untilSomebodyListens(to characteristic: String) async throws {
        try await waitForListener(of: characteristic, in: system)
    }
}

/// Waits until the peripheral's characteristic has a subscriber.
func waitForListener(of characteristic: String, in system: SimulatedSystem) async throws {
    try await wait {
        let count = await system.read { world in
            world.device(gadgetAddress)?.listenerCount(of: characteristic) ?? 0
        }
        return (count ?? 0) > 0
    }
}

/// Replaces `#expect(actual == expected)` for an `actual` that contains a closure.
///
/// Swift 6.3.1 may give a closure in the argument of `#expect` the symbol of a neighboring closure of the
/// same type. One of the two then runs in place of both.
func check<Value: Equatable>(
    _ actual: Value?,
    is expected: Value?,
    at location: SourceLocation = #_sourceLocation
) {
    #expect(actual == expected, sourceLocation: location)
}
