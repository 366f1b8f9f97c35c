package import Bleu
package import Distributed
import Foundation

/// A thermometer, which both programs know: one serves it, the other one calls it.
package distributed actor TemperatureSensorActor: PeripheralActor {
    package typealias ActorSystem = BLEActorSystem

    private let report: @Sendable (ThermometerEvent) -> Void
    private let start = Date.now
    private var offset = 0.0

    /// Creates a thermometer of this process.
    ///
    /// - Parameters:
    ///   - actorSystem: The system that serves it.
    ///   - report: Receives what centrals do, from any thread.
    package init(
        actorSystem: BLEActorSystem,
        report: @escaping @Sendable (ThermometerEvent) -> Void = { _ in }
    ) {
        self.actorSystem = actorSystem
        self.report = report
    }

    /// Returns the temperature in degrees Celsius.
    package distributed func readTemperature() async throws -> Double {
        let value = temperature
        report(.read(value))
        return value
    }

    /// Sets the offset that is added to each measured value.
    package distributed func calibrate(offset: Double) async throws {
        guard (-10...10).contains(offset) else { throw CalibrationError(offset: offset) }
        self.offset = offset
        report(.calibrated(offset))
    }

    /// Returns a stream with the temperature of each second.
    package distributed func subscribeToUpdates() async throws -> AsyncStream<Double> {
        report(.subscribed)
        return AsyncStream { continuation in
            let updates = Task {
                while (try? await Task.sleep(for: .seconds(1))) != nil {
                    let value = temperature
                    continuation.yield(value)
                    report(.sent(value))
                }
            }
            continuation.onTermination = { [report] _ in
                updates.cancel()
                report(.unsubscribed)
            }
        }
    }

    // A room that becomes warmer and cooler by half a degree within a minute.
    private var temperature: Double {
        let measured = 21.5 + 0.5 * sin(Date.now.timeIntervalSince(start) * .pi / 30)
        return ((measured + offset) * 100).rounded() / 100
    }
}

/// An offset that no thermometer needs.
package struct CalibrationError: Error, Codable, CustomStringConvertible {
    package let offset: Double

    package var description: String { "the offset must be between -10 and 10, not \(offset)" }
}

package enum ThermometerEvent: Sendable {
    case read(Double)
    case calibrated(Double)
    case subscribed
    case sent(Double)
    case unsubscribed
}

/// The reason and the remedy, as far as the error has them.
package func reason(of error: any Error) -> String {
    (error as? any LocalizedError)?.errorDescription ?? "\(error)"
}
