import Bluejay
import BluejaySimulator
import TestSupport
import Testing

/// A simulated BlueZ, a main loop, and a screen on that loop.
///
/// The screen is made, used and released on the loop: that is the invariant behind `@unchecked`.
final class Lab<S: Screen>: @unchecked Swift.Sendable {
    let notes = Notes()
    let system: SimulatedSystem
    private let loop = MainLoop(threadName: "screen")
    private var held: S?

    fileprivate init(_ options: SimulatorOptions) async throws {
        system = try await SimulatedSystem.start(options)
    }

    fileprivate func open(starting: Bool) async {
        await run { [loop, notes, system] lab in
            let screen = S(Bluejay(mainLoop: loop, busAddress: system.busAddress), notes)
            lab.held = screen
            if starting { screen.bluejay.start() }
        }
        if starting { await notes.wait(for: "available true") }
    }

    fileprivate func close() async {
        await run { $0.held = nil }
        system.stop()
    }

    private func run(_ work: @escaping @Sendable (Lab<S>) -> Void) async {
        await withCheckedContinuation { continuation in
            loop.post { [self] in
                work(self)
                continuation.resume()
            }
        }
    }

    /// Does something with the screen, on the loop.
    func on(_ work: @escaping @Sendable (S) -> Void) async {
        await run { lab in
            if let screen = lab.held { work(screen) }
        }
    }

    /// Reads something of the screen, on the loop.
    func read<R: Swift.Sendable>(_ work: @escaping @Sendable (S) -> R) async -> R? {
        await withCheckedContinuation { continuation in
            loop.post { [self] in continuation.resume(returning: held.map(work)) }
        }
    }

    /// Puts a peripheral on the air.
    func add(_ device: @escaping @Sendable () -> SimulatedDevice) async {
        await system.perform { $0.add(device()) }
    }

    /// Does something with the peripheral, or with another.
    func device(
        _ address: String = gadgetAddress,
        _ work: @escaping @Sendable (SimulatedDevice) -> Void
    ) async {
        await system.perform { world in
            if let device = world.device(address) { work(device) }
        }
    }

    /// Reads something of the peripheral.
    func ask<R: Swift.Sendable>(_ work: @escaping @Sendable (SimulatedDevice) -> R) async -> R? {
        await system.read { $0.device(gadgetAddress).map(work) } ?? nil
    }

    /// What was written to the peripheral, each as `2A39 [1]`.
    func writes() async -> [String] {
        await ask { device in
            device.writes.map { write in
                "\(write.characteristic.prefix(8).suffix(4).uppercased()) \(write.value)"
            }
        } ?? []
    }

    /// Waits until everything that the screen asked for is done.
    ///
    /// The end of a listen that nobody began waits its turn, and costs nothing.
    func settle() async {
        await withCheckedContinuation { continuation in
            loop.post { [self] in
                guard let held else { return continuation.resume() }
                held.bluejay.endListen(to: nobodys) { _ in continuation.resume() }
            }
        }
    }

    /// Puts a peripheral on the air and connects the screen to it.
    func connect(to characteristics: [ScriptedCharacteristic]) async {
        await add { gadget(characteristics) }
        await on { $0.findAndConnect() }
        await notes.wait(for: "connected Gadget")
    }
}

private let nobodys = CharacteristicIdentifier(uuid: "2AFF", service: heartRateService)

let gadgetAddress = "C0:00:00:00:00:01"

/// A peripheral that advertises the heart rate service, and has these characteristics in it.
func gadget(_ characteristics: [ScriptedCharacteristic] = []) -> SimulatedDevice {
    let device = SimulatedDevice(address: gadgetAddress, name: "Gadget", advertising: ["180D"])
    device.addService("180D", characteristics)
    return device
}

/// Plays a screen of the document on a simulated BlueZ of its own.
///
/// - Parameters:
///   - screen: What has the block.
///   - starts: Whether Bluejay is started first.
///   - isPowered: Whether the adapter is on.
///   - play: The test.
/// - Throws: What the test does, or that there is no simulated BlueZ.
func with<S: Screen>(
    _ screen: S.Type,
    starts: Bool = true,
    isPowered: Bool = true,
    _ play: (Lab<S>) async throws -> Void
) async throws {
    let turn = await Turn.take()
    defer { withExtendedLifetime(turn) {} }
    var options = SimulatorOptions()
    options.timeScale = 0.1
    options.isPowered = isPowered
    let lab = try await Lab<S>(options)
    await lab.open(starting: starts)
    do {
        try await play(lab)
    } catch {
        await lab.close()
        throw error
    }
    await lab.close()
}

extension Lab {
    /// Waits until somebody listens to a characteristic of the peripheral.
    func untilSomebodyListens(to characteristic: String) async throws {
        try await waitForListener(of: characteristic, in: system)
    }
}

/// Waits until somebody listens to a characteristic of the peripheral.
func waitForListener(of characteristic: String, in system: SimulatedSystem) async throws {
    try await wait {
        let count = await system.read { world in
            world.device(gadgetAddress)?.listenerCount(of: characteristic) ?? 0
        }
        return (count ?? 0) > 0
    }
}

/// What `#expect(actual == expected)` is, for an `actual` that has a closure in it.
///
/// Within a closure, Swift 6.3.1 gives a closure in the argument of `#expect` the symbol of another
/// one of the same type beside it, and one of the two runs in the place of both.
func check<Value: Equatable>(
    _ actual: Value?,
    is expected: Value?,
    at location: SourceLocation = #_sourceLocation
) {
    #expect(actual == expected, sourceLocation: location)
}
