import BluejayAsync

@MainActor
final class HeartRateModel {
    private let bluejay = Bluejay()
    private var beats: [UInt16] = []

    func begin() {
        bluejay.register(connectionObserver: self)
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
        try await bluejay.withConnection(toFirst: .anyService([.heartRate]), within: 20) { sensor in
            let readings = sensor.values(of: .heartRateMeasurement, as: HeartRateReading.self)
            for try await reading in readings.prefix(3) {
                beats.append(reading.beatsPerMinute)
                print("heart rate \(reading.beatsPerMinute)")
            }
        }
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
