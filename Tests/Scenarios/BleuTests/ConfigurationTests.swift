import BluejayTesting
import Foundation
import Testing

@testable import Bleu

@Suite("Configurations", .timeLimit(.minutes(15)))
struct ConfigurationTests {
    private static let integers = [Int.min, -1, 0, 1, .max]

    @Test(
        "A peripheral works with any limits of messages and calls",
        arguments: integers
    )
    func limits(limit: Int) async throws {
        try await BleuStage.play { stage in
            var configuration = BleuConfiguration()
            configuration.maximumMessageSize = limit
            configuration.maximumQueuedCalls = limit
            configuration.compressionThreshold = limit
            configuration.maximumRetries = limit
            configuration.maximumConnections = limit
            let (_, proxy) = try await stage.connectedSensor(configuration)
            _ = try? await proxy.readTemperature()
            _ = try? await proxy.calibrate(offset: 1)
            _ = try? await proxy.longText()
            let own = try await stage.system(1, configuration).connect(
                to: adapterID(0),
                as: RoomSensor.self
            )
            _ = try? await own.readTemperature()
            _ = try? await own.calibrate(offset: 1)
            _ = try? await own.longText()
        }
    }

    @Test(
        "Any duration is bounded",
        arguments: [-Double.infinity, -1, 0, .nan, .greatestFiniteMagnitude, .infinity]
    )
    func times(seconds: Double) async throws {
        try await BleuStage.play { stage in
            var configuration = BleuConfiguration()
            configuration.callTimeout = seconds
            configuration.connectionTimeout = seconds
            configuration.initialRetryDelay = seconds
            configuration.maximumRetryDelay = seconds
            configuration.reassemblyTimeout = seconds
            configuration.maximumRetries = 2
            let (_, proxy) = try await stage.connectedSensor(configuration)
            #expect(try await proxy.readTemperature() == 21.5)
            let own = try await stage.system(1, configuration).connect(
                to: adapterID(0),
                as: RoomSensor.self
            )
            let call = stage.start { try await own.reading(unit: "K") }
            try await stage.wait(.seconds(5))
            try? await stage.loseLink()
            call.cancel()
            _ = try? await call.value
        }
    }

    @Test("The size of a message is limited to 1,024 bytes to 32 MiB", arguments: integers)
    func messageSize(limit: Int) {
        var configuration = BleuConfiguration()
        configuration.maximumMessageSize = limit
        let expected = limit == .max ? 32 << 20 : 1024
        #expect(configuration.transportLimits.messageLength == expected)
    }
}
