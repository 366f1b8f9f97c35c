import Bluejay
import BluejayAsync

/// Prints three heart rates of the first sensor found, with `await` only.
@main
struct App {
    static func main() async throws {
        let bluejay = Bluejay(mainLoop: MainLoop(threadName: "bluetooth"))
        await bluejay.start()
        try await bluejay.waitUntilReady(within: 20)
        for try await sensor in bluejay.scan(serviceIdentifiers: [.heartRate]) {
            try await bluejay.connect(sensor.peripheralIdentifier, timeout: 15)
            let readings = bluejay.values(of: .heartRateMeasurement, as: HeartRateReading.self)
            for try await reading in readings.prefix(3) { print(reading.beatsPerMinute) }
            break
        }
        try await bluejay.disconnect()
    }
}
