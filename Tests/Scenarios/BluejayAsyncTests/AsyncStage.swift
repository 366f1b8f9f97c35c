import Bluejay
import BluejayAsync
import BluejaySimulator
import Foundation
import TestSupport

/// A `Bluejay` on its own loop, and an advertising gadget in a simulated BlueZ with waits of a tenth of the
/// real ones.
final class AsyncStage: Swift.Sendable {
    static let address = "C0:00:00:00:00:01"

    let system: SimulatedSystem
    let bluejay: Bluejay
    private let slot: BusSlot

    init(_ kind: SimulatedBlueZVersion = .v5_66, starts: Bool = true) async throws {
        slot = await BusSlot.acquire()
        system = try await Self.world(kind)
        bluejay = Bluejay(mainLoop: MainLoop(threadName: "async"), busAddress: system.busAddress)
        if starts { await onLoop { $0.start() } }
    }

    static func world(_ kind: SimulatedBlueZVersion = .v5_66) async throws -> SimulatedSystem {
        var options = SimulatorOptions()
        options.timeScale = 0.1
        options.version = kind
        options.adapters = 1
        let system = try await SimulatedSystem.start(options)
        await system.perform { $0.add(gadget()) }
        return system
    }

    static func gadget() -> SimulatedDevice {
        let gadget = SimulatedDevice(address: address, name: "Gadget", advertising: ["180D"])
        gadget.addService(
            "180D",
            [
                ScriptedCharacteristic("2A37", ["notify"], .value([])),
                ScriptedCharacteristic("2A38", ["read"], .value([1])),
                ScriptedCharacteristic("2A39", ["write"], .value([0])),
                ScriptedCharacteristic("FF01", ["read"], .repliesLate([7], afterSeconds: 20)),
            ]
        )
        return gadget
    }

    static func connected(_ kind: SimulatedBlueZVersion = .v5_66) async throws -> AsyncStage {
        let stage = try await AsyncStage(kind)
        await stage.onLoop { $0.reconnectOptions.maximumAttempts = 0 }
        try await stage.bluejay.connect(stage.bluejay.find(), timeout: .seconds(10))
        return stage
    }

    /// Runs `work` on the loop, after the work already posted.
    func onLoop<R: Swift.Sendable>(_ work: @escaping @Sendable (Bluejay) -> R) async -> R {
        await withCheckedContinuation { continuation in
            bluejay.mainLoop.post { [self] in continuation.resume(returning: work(bluejay)) }
        }
    }

    func gadget<R: Swift.Sendable>(
        _ work: @escaping @Sendable (SimulatedDevice) -> R
    ) async throws -> R {
        let result = await system.read { $0.device(Self.address).map(work) } ?? nil
        guard let result else { throw BluejayError.notConnected }
        return result
    }

    /// Waits until the queue is empty.
    func settle() async throws {
        let _: UInt8 = try await bluejay.read(from: quick)
    }

    /// The number of subscriptions to the measurement at the gadget, once the queue is empty.
    func listenerCount() async throws -> Int {
        try await settle()
        return try await gadget { $0.listenerCount(of: "2A37") }
    }

    func send(_ value: [UInt8]) async throws {
        try await gadget { $0.send(value, on: "2A37") }
    }
}

extension Bluejay {
    /// Scans until the first discovery.
    func find() async throws -> PeripheralIdentifier {
        for try await discovery in scan(serviceIdentifiers: [service]) {
            return discovery.peripheralIdentifier
        }
        throw BluejayError.cancelled
    }
}

let service = ServiceIdentifier(uuid: "180D")
let measurement = CharacteristicIdentifier(uuid: "2A37", service: service)
let quick = CharacteristicIdentifier(uuid: "2A38", service: service)
let control = CharacteristicIdentifier(uuid: "2A39", service: service)
let slow = CharacteristicIdentifier(uuid: "FF01", service: service)

struct Ended<Element: Swift.Sendable>: Swift.Sendable {
    var elements: [Element] = []
    var error: (any Error)?

    var reason: BluejayError? { error as? BluejayError }
}

func drain<Element: Swift.Sendable>(
    _ stream: ValueStream<Element>
) async -> Ended<Element> {
    var ended = Ended<Element>()
    do {
        for try await element in stream { ended.elements.append(element) }
    } catch {
        ended.error = error
    }
    return ended
}
