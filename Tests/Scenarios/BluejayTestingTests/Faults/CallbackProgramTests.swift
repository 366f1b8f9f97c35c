import BluejayAsync
import BluejayTesting
import Foundation
import Testing

@Suite(
    "Programs with callbacks survive every fault at every message",
    .timeLimit(.minutes(15)),
    .simulatedBlueZ { $0.add(.heartRateSensor()) }
)
struct CallbackProgramTests {
    private static let location = CharacteristicIdentifier.bodySensorLocation
    private static let rate = CharacteristicIdentifier.heartRateMeasurement

    /// Waits for the completion of a call.
    private func ended<R: Swift.Sendable>(
        _ call: (@escaping (sending Result<R, any Error>) -> Void) -> Void
    ) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            call { continuation.resume(with: $0) }
        }
    }

    private func found(by bluejay: Bluejay) async throws -> PeripheralIdentifier {
        let discoveries: [ScanDiscovery] = try await ended { end in
            bluejay.scan(
                duration: 20,
                serviceIdentifiers: [.heartRate],
                discovery: { _, _ in .stop },
                stopped: { discoveries, error in
                    end(error.map { .failure($0) } ?? .success(discoveries))
                }
            )
        }
        return try #require(discoveries.first).peripheralIdentifier
    }

    /// Scans, connects, and makes a call with the sensor; disconnects afterwards.
    private func withSensor<R: Swift.Sendable>(
        _ call: (Bluejay, @escaping (sending Result<R, any Error>) -> Void) -> Void
    ) async throws -> R {
        let bluejay = try TestWorld.current.makeBluejay()
        await bluejay.start()
        try await bluejay.waitUntilReady(within: 20)
        bluejay.broadcastErrorsToListeners = true
        let sensor = try await found(by: bluejay)
        let _: PeripheralIdentifier = try await ended { end in
            bluejay.connect(sensor, timeout: .seconds(15)) { result in
                switch result {
                case .success(let identifier): end(.success(identifier))
                case .failure(let error): end(.failure(error))
                }
            }
        }
        let result: Result<R, any Error>
        do {
            result = .success(try await ended { call(bluejay, $0) })
        } catch {
            result = .failure(error)
        }
        let _: PeripheralIdentifier = try await ended { end in
            bluejay.disconnect { result in
                switch result {
                case .disconnected(let identifier): end(.success(identifier))
                case .failure(let error): end(.failure(error))
                }
            }
        }
        return try result.get()
    }

    @Test("A program that reads", .everyFault)
    func read() async throws {
        let place: UInt8 = try await withSensor { bluejay, end in
            bluejay.read(from: Self.location) { (result: ReadResult<UInt8>) in
                switch result {
                case .success(let place): end(.success(place))
                case .failure(let error): end(.failure(error))
                }
            }
        }
        #expect(place == 1)
    }

    @Test("A program that listens to one value and ends its listen", .everyFault)
    func listen() async throws {
        let value: UInt16 = try await withSensor { bluejay, end in
            var isEnded = false
            bluejay.listen(to: Self.rate) { (result: ReadResult<HeartRateReading>) in
                guard !isEnded else { return }
                isEnded = true
                switch result {
                case .success(let reading):
                    bluejay.endListen(to: Self.rate) { result in
                        switch result {
                        case .success: end(.success(reading.beatsPerMinute))
                        case .failure(let error): end(.failure(error))
                        }
                    }
                case .failure(let error): end(.failure(error))
                }
            }
        }
        #expect(value == 60)
    }
}
