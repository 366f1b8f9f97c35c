import BluejayAsync
import Synchronization
import Testing

@testable import BluejayTesting

@Suite(
    "Faults of programs that every fault at every message finds",
    .timeLimit(.minutes(15)),
    .simulatedBlueZ { $0.add(.heartRateSensor()) }
)
struct PlantedFaultTests {
    private static let location = CharacteristicIdentifier.bodySensorLocation

    /// Runs a program with every fault of its read, as the trait does.
    private func report(
        _ program: @Sendable () async throws -> Void
    ) async throws -> FaultReport {
        let world = try TestWorld.current
        let test = try #require(Test.current)
        let recipe = try #require(world.recipe.value)
        let body = FaultedTest(test: test, testCase: Test.Case.current)
        let runner = FaultRunner(recipe, body, limit: .seconds(600)) {
            $0.event.trigger == .call("ReadValue")
        }
        return try #require(try await runner.run(program))
    }

    @Test("A program that waits for a value without a limit hangs")
    func hang() async throws {
        let report = try await report {
            let bluejay = try TestWorld.current.makeBluejay()
            await bluejay.start()
            try await bluejay.connect(toFirst: .anyService([.heartRate]), within: 20)
            let (values, continuation) = AsyncStream<UInt8>.makeStream()
            bluejay.read(from: Self.location) { (result: ReadResult<UInt8>) in
                if case .success(let value) = result { continuation.yield(value) }
            }
            for await _ in values { break }
            try await bluejay.disconnect()
        }
        let hangs = report.failures.filter { $0.reason == "the test hangs" }
        let triggers = hangs.map(\.fault.event.trigger)
        #expect(triggers.contains(.call("ReadValue")))
        #expect(report.text.contains("the test hangs"))
    }

    @Test("A program that keeps its link after an error leaves a link")
    func leak() async throws {
        let kept = Mutex<[Bluejay]>([])
        let report = try await report {
            let bluejay = try TestWorld.current.makeBluejay()
            kept.withLock { $0.append(bluejay) }
            await bluejay.start()
            try await bluejay.connect(toFirst: .anyService([.heartRate]), within: 20)
            let _: UInt8 = try await bluejay.read(from: Self.location)
            try await bluejay.disconnect()
        }
        let leaks = report.failures.filter { $0.reason == "the test leaves 1 links" }
        let triggers = leaks.map(\.fault.event.trigger)
        #expect(triggers.contains(.call("ReadValue")))
    }

    @Test("A program that remembers an error fails afterwards")
    func memory() async throws {
        let broken = Mutex<Set<ObjectIdentifier>>([])
        let report = try await report {
            let world = try TestWorld.current
            guard !broken.withLock({ $0.contains(ObjectIdentifier(world)) }) else {
                throw CancellationError()
            }
            let bluejay = world.makeBluejay()
            do {
                try await bluejay.withConnection(toFirst: .anyService([.heartRate]), within: 20) {
                    let _: UInt8 = try await $0.read(from: Self.location)
                }
            } catch {
                broken.withLock { _ = $0.insert(ObjectIdentifier(world)) }
                throw error
            }
        }
        let late = report.failures.filter {
            $0.reason.hasPrefix("the test then fails without a fault: CancellationError")
        }
        let triggers = late.map(\.fault.event.trigger)
        #expect(triggers.contains(.call("ReadValue")))
    }

    @Test("A test that fails when it runs again in one world is refused")
    func notRepeatable() async throws {
        let runs = Mutex<[ObjectIdentifier: Int]>([:])
        await #expect(throws: TestWorldError.self) {
            _ = try await report {
                let world = ObjectIdentifier(try TestWorld.current)
                let count = runs.withLock { runs in
                    runs[world, default: 0] += 1
                    return runs[world, default: 0]
                }
                if count > 1 { throw CancellationError() }
            }
        }
    }
}
