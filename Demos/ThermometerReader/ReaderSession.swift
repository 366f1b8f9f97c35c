import Bleu
import Foundation
import ThermometerActor

/// One run of the demo: finds a thermometer, reads and calibrates it, and shows its updates.
@MainActor
final class ReaderSession {
    private let system: BLEActorSystem
    private let offset: Double?
    private let file: URL?
    private let display: ReaderDisplay
    private var thermometer: TemperatureSensorActor?
    private var error: String?
    private var hasUpdate = false

    init(adapter: String?, offset: Double?, file: URL?, _ display: ReaderDisplay) {
        var configuration = BleuConfiguration()
        configuration.errorTypes = [CalibrationError.self]
        system = BLEActorSystem(
            configuration: configuration,
            host: BluetoothHost(adapter: adapter)
        )
        self.offset = offset
        self.file = file
        self.display = display
    }

    /// The reason for the exit status 1, or `nil`.
    var failure: String? {
        if hasUpdate { return nil }
        return error ?? (thermometer == nil ? "no thermometer found" : "no update was received")
    }

    /// Runs until the task is cancelled, or the thermometer rejects a call.
    func play() async {
        do {
            let thermometer = try await find()
            self.thermometer = thermometer
            display.show(.temperature(try await thermometer.readTemperature()))
            if let offset {
                try await thermometer.calibrate(offset: offset)
                display.show(.calibrated(offset))
                display.show(.temperature(try await thermometer.readTemperature()))
            }
            try await follow(thermometer)
        } catch is CancellationError {
        } catch {
            self.error = reason(of: error)
        }
    }

    func disconnect() async {
        guard let thermometer else { return }
        try? await system.disconnect(from: thermometer.id)
    }

    /// Returns the known thermometer, or the first one that a scan finds.
    private func find() async throws -> TemperatureSensorActor {
        if let file, let text = try? String(contentsOf: file, encoding: .utf8),
            let id = UUID(uuidString: text.trimmingCharacters(in: .whitespacesAndNewlines))
        {
            display.show(.known(id))
            return try await system.connect(to: id, as: TemperatureSensorActor.self)
        }
        display.show(.searching)
        while true {
            if let found = try await system.discover(TemperatureSensorActor.self).first {
                display.show(.found(found.id))
                if let file {
                    try found.id.uuidString.write(to: file, atomically: true, encoding: .utf8)
                }
                return found
            }
            try Task.checkCancellation()
        }
    }

    /// Shows each update; a stream that ends with its link is followed by the next one.
    private func follow(_ thermometer: TemperatureSensorActor) async throws {
        while true {
            for await value in try await thermometer.subscribeToUpdates() {
                hasUpdate = true
                display.show(.update(value))
            }
            try Task.checkCancellation()
            display.show(.interrupted)
        }
    }
}
