import Bluejay
import BluejayAsync

@MainActor
final class HeartRateModel {
    private let bluejay = Bluejay()
    private var beats: [UInt16] = []

    func begin() {
        bluejay.register(connectionObserver: self)
        bluejay.start()
        Task {
            do {
                try await follow()
            } catch {
                print(error.localizedDescription)
            }
            MainLoop.main.stop()
        }
    }

    private func follow() async throws {
        for try await sensor in bluejay.scan(serviceIdentifiers: [.heartRate]) {
            try await bluejay.connect(sensor.peripheralIdentifier, timeout: 15)
            break
        }
        let readings = bluejay.values(of: .heartRateMeasurement, as: HeartRateReading.self)
        for try await reading in readings.prefix(3) {
            beats.append(reading.beatsPerMinute)
            print("heart rate \(reading.beatsPerMinute)")
        }
        try await bluejay.disconnect()
    }
}

// The loop runs on the main actor, and so do its callbacks.
extension HeartRateModel: @MainActor ConnectionObserver {
    func connected(to peripheral: PeripheralIdentifier) {
        print("connected to \(peripheral) after \(beats.count) beats")
    }
}

let model = HeartRateModel()
model.begin()
MainLoop.main.run()
