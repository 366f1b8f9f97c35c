import Bluejay
import BluejayAsync
import Foundation

/// Ten threads that use one instance concurrently, without regard to its loop.
struct TenThreads: Swift.Sendable {
    /// The number of calls of each thread that end.
    static let callCount = 6

    let bluejay: Bluejay
    let sensor: PeripheralIdentifier
    let ended: @Sendable () -> Void

    /// Returns the number of calls that ended, each on the loop.
    static func run() async throws -> Int {
        let bluejay = Bluejay(mainLoop: MainLoop(threadName: "bluetooth"))
        await bluejay.start()
        let sensor = try await bluejay.connect(toFirst: .anyService([.heartRate]), within: 30)
        let (ends, end) = AsyncStream<Bool>.makeStream()
        let threads = TenThreads(bluejay: bluejay, sensor: sensor) {
            end.yield(bluejay.mainLoop.isCurrent)
        }
        for number in 0..<10 { Thread { threads.useEverything(number) }.start() }
        var count = 0
        for await isOnLoop in ends.prefix(10 * callCount) where isOnLoop { count += 1 }
        _ = await bluejay.stopAndExtractBluetoothState()
        return count
    }

    private func useEverything(_ number: Int) {
        bluejay.defaultTimeouts.connect = .seconds(Double(10 + number))
        bluejay.reconnectOptions.maximumAttempts = number
        bluejay.usesWriteSockets = number.isMultiple(of: 2)
        bluejay.broadcastErrorsToListeners = number.isMultiple(of: 2)
        _ = (bluejay.services, bluejay.bluetoothState, bluejay.isConnected, bluejay.adapters)
        _ = (bluejay.connectedPeripheral, bluejay.defaultTimeouts, bluejay.usesWriteSockets)
        _ = (try? bluejay.mtu(), try? bluejay.isListening(to: .heartRateMeasurement))
        bluejay.read(from: .bodySensorLocation, as: UInt8.self) { _ in ended() }
        bluejay.batteryLevel { _ in ended() }
        bluejay.readRSSI { _ in ended() }
        bluejay.listAdapters { _ in ended() }
        if number == 5 { bluejay.cancelEverything(shouldDisconnect: false) }
        bluejay.disconnect { _ in ended() }
        bluejay.connect(sensor) { _ in ended() }
    }
}
