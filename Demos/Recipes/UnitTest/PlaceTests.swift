import BluejayAsync
import BluejayTesting
import Testing

@Test("The sensor is worn on the chest", .simulatedBlueZ { $0.add(.heartRateSensor()) })
func place() async throws {
    let bluejay = try TestWorld.current.makeBluejay()
    try await bluejay.withConnection(toFirst: .anyService([.heartRate]), within: 20) { sensor in
        let place: BodySensorLocation = try await sensor.read(from: .bodySensorLocation)
        #expect(place == .chest)
    }
}
