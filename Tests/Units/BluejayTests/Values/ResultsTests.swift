import Testing

@testable import Bluejay

@Suite("The results of calls")
struct ResultsTests {
    private let sensor: PeripheralIdentifier

    init() throws {
        sensor = try PeripheralIdentifier(
            address: "C0:00:00:00:00:01",
            isRandomAddress: true,
            name: "Sensor"
        )
    }

    @Test("get returns the value of a success")
    func success() throws {
        #expect(try ConnectionResult.success(sensor).get() == sensor)
        #expect(try DisconnectionResult.disconnected(sensor).get() == sensor)
        #expect(try ReadResult.success(7).get() == 7)
        #expect(try RunResult.success("done").get() == "done")
        try WriteResult.success.get()
    }

    @Test("get throws the error of a failure")
    func failure() {
        let error = BluejayError.notConnected
        #expect(throws: error) { try ConnectionResult.failure(error).get() }
        #expect(throws: error) { try DisconnectionResult.failure(error).get() }
        #expect(throws: error) { try ReadResult<Int>.failure(error).get() }
        #expect(throws: error) { try RunResult<Int>.failure(error).get() }
        #expect(throws: error) { try WriteResult.failure(error).get() }
    }

    @Test("result is the Result of the standard library")
    func results() {
        #expect((try? ReadResult.success(7).result.map { $0 + 1 }.get()) == 8)
        guard case .failure = WriteResult.failure(BluejayError.stopped).result else {
            Issue.record("a failure was not recognized")
            return
        }
    }
}
