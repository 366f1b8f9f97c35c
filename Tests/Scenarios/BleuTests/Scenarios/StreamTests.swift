import Bleu
import BluejaySimulator
import Distributed
import Foundation
import Testing

/// Tests `SessionStreams`.
@Suite("Streams as results")
struct StreamTests {
    @Test("The elements of a stream arrive in order, with its end", arguments: kinds)
    func elements(kind: SimulatedBlueZVersion) async throws {
        try await BleuStage.play(kind) { stage in
            let (_, proxy) = try await stage.connectedSensor()
            var received: [Int] = []
            for await number in try await proxy.count(to: 100) { received.append(number) }
            #expect(received == Array(1...100))
            #expect(try await proxy.readTemperature() == 21.5)
        }
    }

    @Test("The error of a stream arrives after its elements")
    func error() async throws {
        try await BleuStage.play { stage in
            var configuration = BleuConfiguration()
            configuration.errorTypes = [SensorError.self]
            let (_, proxy) = try await stage.connectedSensor(BleuConfiguration(), configuration)
            var received: [Int] = []
            await #expect(throws: SensorError(code: 3)) {
                for try await number in try await proxy.countAndFail(after: 3) {
                    received.append(number)
                }
            }
            #expect(received == [1, 2, 3])
        }
    }

    @Test("Calls complete while a stream is open")
    func callsBeside() async throws {
        try await BleuStage.play { stage in
            let (sensor, proxy) = try await stage.connectedSensor()
            var iterator = try await proxy.ticks().makeAsyncIterator()
            for number in 0..<5 {
                sensor.ticker.send(number)
                #expect(await iterator.next() == number)
                #expect(try await proxy.readTemperature() == 21.5)
            }
            sensor.ticker.finish()
            #expect(await iterator.next() == nil)
        }
    }

    @Test("A consumer that does not read suspends the producer")
    func heldBack() async throws {
        try await BleuStage.play { stage in
            let (sensor, proxy) = try await stage.connectedSensor()
            let stream = try await proxy.endless()
            try await stage.wait(.seconds(20))
            let produced = sensor.produced.value
            #expect(produced <= 40, "\(produced) elements")
            var received: [Int] = []
            for await number in stream {
                received.append(number)
                if received.count == 200 { break }
            }
            #expect(received == Array(1...200))
        }
    }

    @Test("The producer ends within a second when its consumer stops")
    func consumerStops() async throws {
        try await BleuStage.play { stage in
            let (sensor, proxy) = try await stage.connectedSensor()
            let reader = stage.start {
                for await number in try await proxy.ticks() where number == 2 { return }
            }
            try await stage.wait(.seconds(1))
            sensor.ticker.send(1)
            sensor.ticker.send(2)
            try await reader.value
            try await stage.wait(.seconds(1))
            #expect(sensor.ticker.ended.value == 1)

            let cancelled = stage.start { for await _ in try await proxy.ticks() {} }
            try await stage.wait(.seconds(1))
            cancelled.cancel()
            try await stage.wait(.seconds(1))
            #expect(sensor.ticker.ended.value == 2)
        }
    }

    @Test("The end of the link ends the stream on both sides", arguments: kinds)
    func linkEnds(kind: SimulatedBlueZVersion) async throws {
        try await BleuStage.play(kind) { stage in
            let (sensor, proxy) = try await stage.connectedSensor()
            _ = try await proxy.readTemperature()
            let reader = stage.start {
                var count = 0
                for await _ in try await proxy.ticks() { count += 1 }
                return count
            }
            let failing = stage.start {
                for try await _ in try await proxy.failingTicks() {}
            }
            try await stage.wait(.seconds(1))
            sensor.ticker.send(1)
            try await stage.wait(.seconds(1))
            try stage.setPowered(false, 0)
            try await stage.wait(.seconds(1))
            #expect(sensor.ticker.ended.value == 2)
            #expect(try await reader.value == 1)
            await #expect(throws: BleuError.self) { try await failing.value }
        }
    }
}
