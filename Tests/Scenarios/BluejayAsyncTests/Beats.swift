import Bluejay
import BluejayAsync

func beats(_ count: Int, with bluejay: Bluejay) async throws -> [UInt16] {
    var beats: [UInt16] = []
    for try await sensor in bluejay.scan(serviceIdentifiers: [.heartRate]) {
        try await bluejay.connect(sensor.peripheralIdentifier, timeout: 15)
        let readings = bluejay.values(of: .heartRateMeasurement, as: HeartRateReading.self)
        for try await reading in readings.prefix(count) { beats.append(reading.beatsPerMinute) }
        break
    }
    try await bluejay.disconnect()
    return beats
}
