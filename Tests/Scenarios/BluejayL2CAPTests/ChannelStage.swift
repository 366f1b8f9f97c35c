import BluejayGLib
import BluejayL2CAP
import BluejaySimulator
import Foundation

final class ChannelStage: Sendable {
    static let sensorAddress = "C4:7C:8D:6A:1F:02"

    let system: SimulatedSystem
    let loop = MainLoop(threadName: "channels")
    private let slot: BusSlot

    init(_ change: (inout SimulatorOptions) -> Void = { _ in }) async throws {
        slot = await BusSlot.acquire()
        var options = SimulatorOptions()
        options.timeScale = 0.1
        change(&options)
        system = try await SimulatedSystem.start(options)
    }

    var host: BluetoothHost { host("hci0") }

    func host(_ adapter: String?) -> BluetoothHost {
        BluetoothHost(mainLoop: loop, adapter: adapter, busAddress: system.busAddress)
    }

    var sensor: PeripheralIdentifier {
        get throws {
            try PeripheralIdentifier(
                address: Self.sensorAddress,
                isRandomAddress: true,
                name: "Sensor"
            )
        }
    }

    func addSensor(_ change: @escaping @Sendable (SimulatedDevice) -> Void) async {
        await system.perform { world in
            let device = SimulatedDevice(
                address: Self.sensorAddress,
                name: "Sensor",
                advertising: ["180D"]
            )
            device.addService("180D", [])
            change(device)
            world.add(device)
        }
    }

    func withSensor<R: Sendable>(
        _ work: @escaping @Sendable (SimulatedDevice) -> R
    ) async -> R? {
        await system.read { world in world.device(Self.sensorAddress).map(work) } ?? nil
    }

    /// Switches hci0 on or off and waits for the change.
    func setPowered(_ isPowered: Bool) async {
        await withCheckedContinuation { continuation in
            Task { [system] in
                await system.perform { world in
                    world.setPowered(isPowered, ofAdapter: 0) { continuation.resume() }
                }
            }
        }
    }

    func channel(to psm: UInt16 = 0x80, security: L2CAPSecurity = .low) async throws
        -> L2CAPChannel
    {
        let channel = L2CAPChannel(to: try sensor, psm: psm, security: security, host: host)
        try await channel.open(timeout: .seconds(10))
        return channel
    }

    @discardableResult
    func onLoop<R: Sendable>(_ work: @escaping @Sendable () -> R) async -> R {
        await withCheckedContinuation { continuation in
            loop.post { continuation.resume(returning: work()) }
        }
    }
}

/// Bytes that reveal a missing or misplaced byte.
func pattern(_ count: Int, seed: UInt8 = 0) -> Data {
    var state = UInt32(seed) &+ 0x9E37
    var bytes = [UInt8]()
    bytes.reserveCapacity(count)
    for _ in 0..<count {
        state = state &* 1_664_525 &+ 1_013_904_223
        bytes.append(UInt8(truncatingIfNeeded: state >> 24))
    }
    return Data(bytes)
}

extension L2CAPChannel {
    /// Sends `data` in packets of the peer's maximum length.
    func sendAll(_ data: Data) async throws {
        var start = data.startIndex
        while start < data.endIndex {
            let end = min(start + maximumSDU, data.endIndex)
            try await send(data[start..<end])
            start = end
        }
    }

    /// Receives packets until `count` bytes have arrived or the channel has ended.
    func receiveAll(_ count: Int) async -> Data {
        var all = Data()
        for await packet in received {
            all += packet
            if all.count >= count { break }
        }
        return all
    }

    func untilEnd() async -> L2CAPCloseReason? {
        for await _ in received {}
        return closeReason
    }
}
