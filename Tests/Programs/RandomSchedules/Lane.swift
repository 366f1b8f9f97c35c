import Bluejay
import BluejayGLib
import BluejaySimulator
import Foundation

/// A bus with a simulated BlueZ on which schedules are played one after the other.
///
/// An idle instance lives on its shared loop for the whole run, to detect leftovers of other instances on the
/// shared connection.
final class Lane: Swift.Sendable {
    /// One second of BlueZ takes ten milliseconds.
    static let timeScale = 0.01

    let number: Int
    /// Whether no other lane runs at the same time, so that descriptors can be counted.
    let isAlone: Bool
    let system: SimulatedSystem
    let sharedLoop: MainLoop
    let control: BusControl
    let clock: LaneClock
    private let anchor: Anchor
    private let baseline: BusControl.Count

    init(_ number: Int, isAlone: Bool = false) async throws {
        self.number = number
        self.isAlone = isAlone
        system = try await SimulatedSystem.start(Self.options)
        control = try await BusControl(system.busAddress)
        clock = LaneClock(scale: Self.timeScale)
        sharedLoop = MainLoop(threadName: "lane \(number)")
        anchor = await Anchor(system.busAddress, on: sharedLoop)
        // Once their first call is answered, the connections are identified.
        baseline = await control.settledCount()
    }

    static var options: SimulatorOptions {
        var options = SimulatorOptions()
        options.timeScale = timeScale
        return options
    }

    static let addresses = ["C0:00:00:00:00:01", "C0:00:00:00:00:02"]

    /// Resets the world for the next schedule: everything works, and bluetoothd knows no device.
    func reset(connectsDespiteDisconnect: Bool) async {
        await restore(peers: 0, services: false, links: false)
        await forgetDevices()
        await system.perform { world in
            world.apply(.connectsDespiteDisconnect(connectsDespiteDisconnect))
            for address in Self.addresses { world.add(Self.peripheral(address)) }
        }
    }

    /// Removes all devices from bluetoothd.
    func forgetDevices() async {
        for address in Self.addresses {
            let name = address.replacing(":", with: "_")
            await control.removeDevice("/org/bluez/hci0/dev_\(name)")
        }
    }

    private static func peripheral(_ address: String) -> SimulatedDevice {
        let device = SimulatedDevice(address: address, name: "Gadget", advertising: ["180D"])
        device.addService(
            "180D",
            [
                ScriptedCharacteristic("2A37", ["notify"], .value([])),
                ScriptedCharacteristic("2A38", ["read"], .value([1])),
                ScriptedCharacteristic(
                    "2A39",
                    ["read", "write", "write-without-response"],
                    .value([7])
                ),
            ]
        )
        device.addEcho()
        return device
    }

    static let leftoverLink = "a link left"

    /// Returns the leftovers on the bus and at the peripherals.
    func leftovers() async -> [Violation] {
        var found: [Violation] = []
        let count = await control.count()
        if count.connections > baseline.connections {
            let more = count.connections - baseline.connections
            found.append(Violation(kind: "bus connections left", detail: "\(more)"))
        } else if count.rules > baseline.rules {
            let more = count.rules - baseline.rules
            found.append(Violation(kind: "match rules left", detail: "\(more)"))
        }
        if await control.isDiscovering() {
            found.append(Violation(kind: "discovery left on", detail: "hci0"))
        }
        let devices = await system.read { world in
            Self.addresses.compactMap { world.device($0) }.map { device in
                let listeners = ["2A37", "FFE1"].reduce(0) {
                    $0 + device.listenerCount(of: $1)
                }
                return (device.isConnected, listeners)
            }
        }
        for (isConnected, listeners) in devices ?? [] {
            if listeners > 0 {
                found.append(Violation(kind: "listeners left", detail: "\(listeners)"))
            } else if isConnected {
                found.append(Violation(kind: Self.leftoverLink, detail: ""))
            }
        }
        return found
    }

    /// Returns the state of the lane, to explain a failure.
    func state() async -> [String] {
        let peers = await system.read { world in
            Self.addresses.map { address in
                guard let device = world.device(address) else {
                    return "device \(address) not found"
                }
                return "\(address): connected \(device.isConnected), reads \(device.reads.count)"
            }
        }
        let isDiscovering = await control.isDiscovering()
        return ["discovering \(isDiscovering)"] + (peers ?? []) + (await control.devices())
    }

    func end() async {
        await anchor.end()
        await control.end()
        system.stop()
    }
}

extension SimulatedDevice {
    func addEcho() {
        addService(
            "FFE0",
            [ScriptedCharacteristic("FFE1", ["read", "write", "notify"], .echoes([7]))]
        )
    }
}

/// An instance that makes no calls.
private final class Anchor: @unchecked Swift.Sendable {
    // Used on its loop only, as every instance: the invariant behind `@unchecked`.
    private var bluejay: Bluejay?
    private let loop: MainLoop

    init(_ bus: String, on loop: MainLoop) async {
        self.loop = loop
        await loop.perform { [self] in
            bluejay = Bluejay(mainLoop: loop, adapter: "hci0", busAddress: bus)
            bluejay?.start()
        }
    }

    func end() async {
        await loop.perform { [self] in bluejay = nil }
    }
}

extension MainLoop {
    func perform<Value: Swift.Sendable>(
        _ work: @escaping @Sendable () -> Value
    ) async -> Value {
        await withCheckedContinuation { continuation in
            post { continuation.resume(returning: work()) }
        }
    }
}

/// Simulated time of a lane, for the pauses of its schedules.
// The clock is used on its context only: the invariant behind `@unchecked`.
final class LaneClock: @unchecked Swift.Sendable {
    private let context = MainContext()
    private let clock: MainContextClock

    init(scale: Double) {
        clock = MainContextClock(on: context, scale: scale)
        context.startThread(named: "lane clock")
    }

    deinit { context.quit() }

    func pass(milliseconds: Int) async {
        await withCheckedContinuation { continuation in
            context.post { [self] in
                let holder = Holder()
                holder.timer = clock.schedule(after: .milliseconds(milliseconds)) {
                    holder.timer = nil
                    continuation.resume()
                }
            }
        }
    }

    private final class Holder {
        var timer: ScheduledTimer?
    }
}
