import Bleu
import Distributed
import Foundation

distributed actor Thermometer: PeripheralActor {
    typealias ActorSystem = BLEActorSystem

    private var offset = 0.0

    distributed func readTemperature() async throws -> Double { 21.5 + offset }
    distributed func calibrate(offset: Double) async throws { self.offset = offset }
}

/// Serves a thermometer on one machine, until `stopAdvertising` or the end of the program.
func serveThermometer(on host: BluetoothHost) async throws -> BLEActorSystem {
    let system = BLEActorSystem(host: host)
    try await system.startAdvertising(Thermometer(actorSystem: system))
    return system
}

/// Reads it on another machine, before and after a calibration.
func readThermometer(on host: BluetoothHost) async throws -> [Double] {
    let system = BLEActorSystem(host: host)
    guard let thermometer = try await system.discover(Thermometer.self).first else { return [] }
    let before = try await thermometer.readTemperature()
    try await thermometer.calibrate(offset: 1)
    return [before, try await thermometer.readTemperature()]
}
