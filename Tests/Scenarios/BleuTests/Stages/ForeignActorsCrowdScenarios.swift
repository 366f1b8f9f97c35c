import Bleu
import Distributed
import Foundation
import Staging
import Testing

@Suite(
    "A caller of foreign actors",
    .timeLimit(.minutes(10)),
    .enabled(if: isRealBlueZ, "the simulated BlueZ has no foreign stack")
)
struct ForeignActorsCrowdScenarios {
    @Test("Values, arguments, long results, errors and a stream arrive")
    func calls() async throws {
        try await withTestbed(on: .multiplePeers) { context in
            let actor = try await context.bumbleActor(1)
            var configuration = BleuConfiguration()
            configuration.errorTypes = [SensorError.self]
            let system = context.system("hci0", configuration)
            let found = try await timed("discovery") {
                try await system.discover(RoomSensor.self)
            }
            #expect(found.map(\.id) == [actor.uuid])
            let sensor = try #require(found.first)
            #expect(try await !actor.isConnected())
            try await timed("connection") {
                _ = try await system.connectMultiple(to: [actor.uuid], as: RoomSensor.self)
            }
            #expect(try await actor.isConnected())
            let value = try await timed("first read") { try await sensor.readTemperature() }
            #expect(value == 21.5)
            _ = try await timed("later read") { try await sensor.readTemperature() }
            try await timed("first framed call") { try await sensor.calibrate(offset: 1) }
            try await timed("later framed call") { try await sensor.calibrate(offset: 1) }
            #expect(
                try await sensor.reading(unit: "K") == SensorReading(value: 22.5, unit: "K")
            )
            #expect(try await sensor.longText().count == 3000)
            await #expect(throws: SensorError(code: 7)) { try await sensor.failKnown() }
            await #expect(throws: RemoteFailure(typeName: "OpaqueError", message: "OpaqueError()"))
            {
                try await sensor.failUnknown("")
            }
            let data = mixedBytes(20_000)
            let echo = try await timed("20,000 bytes both ways") { try await sensor.echo(data) }
            #expect(echo == data)
            for line in ["1", "2", "3"] { try await sensor.note(line) }
            #expect(try await sensor.allLines() == ["1", "2", "3"])
            #expect(try await sensor.numberOfCalls() == 4)
            try await Self.streams(sensor)
            try await system.disconnect(from: actor.uuid)
        }
    }

    private static func streams(_ sensor: RoomSensor) async throws {
        var received = try await timed("200 elements") {
            try await sensor.count(to: 200).reduce(into: []) { $0.append($1) }
        }
        #expect(received == Array(1...200))
        received = []
        await #expect(throws: SensorError(code: 3)) {
            for try await number in try await sensor.countAndFail(after: 3) {
                received.append(number)
            }
        }
        #expect(received == [1, 2, 3])
        for await number in try await sensor.count(to: 1000) where number == 40 { break }
        #expect(try await sensor.reading(unit: "°C").unit == "°C")
    }

    @Test("A wrong reply fails at most one call, and the next call works")
    func misbehaving() async throws {
        try await withTestbed(on: .multiplePeers) { context in
            let actor = try await context.bumbleActor(2)
            var configuration = BleuConfiguration()
            configuration.callTimeout = 3
            try await context.play(actor.uuid, configuration) { sensor in
                let data = mixedBytes(1500)
                #expect(try await sensor.echo(data) == data)
                for how in BumbleActor.Misbehavior.allCases {
                    try await actor.misbehave(how)
                    let outcome = await Self.outcome { try await sensor.echo(data) == data }
                    #expect(outcome == Self.expected(how), "\(how)")
                    #expect(try await sensor.echo(data) == data, "after \(how)")
                }
            }
        }
    }

    private static func outcome(_ call: () async throws -> Bool) async -> String {
        do {
            return try await call() ? "right" : "wrong"
        } catch {
            return "\(error)"
        }
    }

    private static func expected(_ how: BumbleActor.Misbehavior) -> String {
        switch how {
        case .twice, .backwards, .otherCall, .otherSession: "right"
        case .flipped, .long: "\(BleuError.invalidData)"
        case .version15: "\(BleuError.incompatibleVersion(detected: 15, required: 1))"
        case .silent: "\(BleuError.connectionTimeout)"
        }
    }

    @Test(
        "A call whose link ends fails and is not repeated, and the next one reconnects",
        arguments: [false, true]
    )
    func linkEnds(vanishes: Bool) async throws {
        try await withTestbed(variant: "\(vanishes)", on: .multiplePeers) { context in
            let actor = try await context.bumbleActor(3)
            try await context.play(actor.uuid) { sensor in
                #expect(try await sensor.readTemperature() == 21.5)
                let call = Task { try await sensor.waitAndEcho("") }
                try await waitOnStage(for: "call") { try await actor.calls() == 2 }
                if vanishes { try await actor.loseLink() } else { try await actor.disconnect() }
                do {
                    _ = try await call.value
                    Issue.record("a call without a link has succeeded")
                } catch BleuError.connectionFailed {}
                #expect(try await sensor.numberOfCalls() == 2)
                #expect(try await actor.calls() == 3)
            }
        }
    }

    @Test("A call made while Bluetooth is off continues when Bluetooth returns")
    func bluetoothOff() async throws {
        try await withTestbed(on: .multiplePeers) { context in
            let actor = try await context.bumbleActor(4)
            try await context.play(actor.uuid) { sensor in
                #expect(try await sensor.readTemperature() == 21.5)
                let running = Task { try await sensor.waitAndEcho("") }
                try await waitOnStage(for: "call") { try await actor.calls() == 2 }
                try await context.testbed.setPowered(false)
                do {
                    _ = try await running.value
                    Issue.record("a call without a link has succeeded")
                } catch is BleuError {}
                let call = Task { try await sensor.readTemperature() }
                try await context.testbed.setPowered(true)
                #expect(try await call.value == 21.5)
                #expect(try await actor.calls() == 3)
            }
        }
    }

    @Test("With `link`, calls need the passkey that the actor shows", arguments: [true, false])
    func passkey(isRight: Bool) async throws {
        try await withTestbed(variant: "\(isRight)", on: .multiplePeers) { context in
            let actor = try await context.bumbleActor(5, passkey: 123_456)
            var configuration = BleuConfiguration()
            configuration.encryption = .link
            configuration.maximumRetries = 0
            configuration.passkeyProvider = { id in
                id == actor.uuid && isRight ? 123_456 : 111_111
            }
            try await context.play(actor.uuid, configuration) { sensor in
                guard isRight else {
                    await #expect(throws: BleuError.self) { try await sensor.readTemperature() }
                    let calls = try await actor.calls()
                    #expect(calls == 0)
                    return
                }
                #expect(try await sensor.readTemperature() == 21.5)
                #expect(try await sensor.reading(unit: "K").unit == "K")
            }
        }
    }
}
