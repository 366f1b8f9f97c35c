import Bleu
import Distributed
import Foundation
import Staging
import Testing

@Suite("An actor on one adapter, and its caller on another", .timeLimit(.minutes(10)))
struct OwnActorsScenarios {
    @Test("Values, arguments, long results, errors and a stream arrive")
    func calls() async throws {
        var configuration = BleuConfiguration()
        configuration.errorTypes = [SensorError.self]
        try await play(configuration) { _, _, sensor in
            #expect(try await sensor.readTemperature() == 21.5)
            try await sensor.calibrate(offset: 1)
            #expect(
                try await sensor.reading(unit: "K") == SensorReading(value: 22.5, unit: "K")
            )
            #expect(try await sensor.longText().count == 3000)
            await #expect(throws: SensorError(code: 7)) { try await sensor.failKnown() }
            await #expect(throws: RemoteFailure.self) { try await sensor.failUnknown("") }
            let data = mixedBytes(20_000)
            #expect(try await sensor.echo(data) == data)
            for line in ["1", "2", "3"] { try await sensor.note(line) }
            #expect(try await sensor.allLines() == ["1", "2", "3"])
            var received: [Int] = []
            for await number in try await sensor.count(to: 200) { received.append(number) }
            #expect(received == Array(1...200))
            #expect(try await sensor.numberOfCalls() == 3)
        }
    }

    @Test("A stream that its consumer leaves ends its producer")
    func streamLeft() async throws {
        try await play { _, parts, sensor in
            let reader = Task {
                for await number in try await sensor.ticks() { return number }
                return 0
            }
            try await waitOnStage(for: "end of the producer") {
                parts.ticker.send(7)
                return parts.ticker.ended.value == 1
            }
            #expect(try await reader.value == 7)
            #expect(try await sensor.readTemperature() == 21.5)
        }
    }

    @Test(
        "bleak reads the result of a method as plain JSON",
        .enabled(
            if: PeerProcess.python != nil,
            "STRANGERS_PYTHON is not set: ./Tests/run sets it"
        )
    )
    func bleak() async throws {
        try await play { context, _, sensor in
            // With one bluetoothd at both ends, bleak needs an existing link.
            try await sensor.calibrate(offset: -1.25)
            let method = ServiceMapper.characteristicUUID(
                for: "readTemperature",
                in: RoomSensor.self
            )
            let expected = "\(method.uuidString.lowercased())=20.25"
            let adapters = ["--adapter", "hci0", "--address", "00:AA:01:01:00:01"]
            try await PeerProcess.run(
                "bleak_values.py",
                adapters + ["--expect", expected],
                bus: context.testbed.busAddress
            )
        }
    }

    @Test(
        "bleak subscribes to a stream and receives its elements as plain JSON",
        .enabled(
            if: PeerProcess.python != nil,
            "STRANGERS_PYTHON is not set: ./Tests/run sets it"
        )
    )
    func bleakSubscribes() async throws {
        try await play { context, parts, sensor in
            // A link without a frame: bleak uses the adapter of this caller.
            let system = sensor.actorSystem
            _ = try await system.connectMultiple(to: [sensor.id], as: RoomSensor.self)
            let method = ServiceMapper.characteristicUUID(for: "endless", in: RoomSensor.self)
            let adapters = ["--adapter", "hci0", "--address", "00:AA:01:01:00:01"]
            try await PeerProcess.run(
                "bleak_values.py",
                adapters + ["--notified", "\(method.uuidString.lowercased())=1"],
                bus: context.testbed.busAddress
            )
            try await waitOnStage(for: "end of the producer") {
                let produced = parts.produced.value
                try await Task.sleep(for: .seconds(2))
                return parts.produced.value == produced
            }
        }
    }

    /// Serves on hci1 and calls from hci0.
    private func play(
        _ configuration: BleuConfiguration = BleuConfiguration(),
        _ function: String = #function,
        _ body: (ScenarioContext, SensorParts, RoomSensor) async throws -> Void
    ) async throws {
        try await withTestbed(function, isRecorded: false) { context in
            try await context.testbed.freeSecondAdapter()
            try await context.serve(on: "hci1") { parts in
                try await context.play(StageAdapter.second, configuration) { sensor in
                    try await body(context, parts, sensor)
                }
            }
        }
    }
}
