import Foundation
import PocketMesh
import Testing

@Suite("The mock transport", .timeLimit(.minutes(15)))
struct MockTransportTests {
    @Test("The mock is connected between connect and disconnect, which can be repeated")
    func connects() async throws {
        let mock = MockTransport()
        #expect(await !mock.isConnected)
        try await mock.connect()
        try await mock.connect()
        #expect(await mock.isConnected)
        await mock.disconnect()
        await mock.disconnect()
        #expect(await !mock.isConnected)
        try await mock.connect()
        #expect(await mock.isConnected)
    }

    @Test(
        "The mock records sent values in order until they are cleared, and refuses them if unconnected"
    )
    func sends() async throws {
        let mock = MockTransport()
        await #expect(throws: BLEError.notConnected) { try await mock.send(Data([1])) }
        try await mock.connect()
        for value in [Data([1, 2]), Data(), Data([3])] { try await mock.send(value) }
        #expect(await mock.sentData == [Data([1, 2]), Data(), Data([3])])
        await mock.clearSentData()
        #expect(await mock.sentData.isEmpty)
        try await mock.send(Data([4]))
        await mock.disconnect()
        await #expect(throws: BLEError.notConnected) { try await mock.send(Data([5])) }
        #expect(await mock.sentData == [Data([4])])
    }

    @Test("OK is 00, with an optional little-endian 32-bit value; an error is 01 and its code")
    func answers() async throws {
        let mock = MockTransport()
        try await mock.connect()
        let stream = await mock.receivedData
        await mock.simulateReceive(Data([9, 8, 7]))
        await mock.simulateOK()
        for value in [UInt32(0), 42, 0x0102_0304, .max] { await mock.simulateOK(value: value) }
        for code in [UInt8(0), 1, 255] { await mock.simulateError(code: code) }
        await mock.disconnect()
        #expect(
            await stream.all() == [
                [9, 8, 7], [0],
                [0, 0, 0, 0, 0], [0, 42, 0, 0, 0], [0, 4, 3, 2, 1], [0, 255, 255, 255, 255],
                [1, 0], [1, 1], [1, 255],
            ]
        )
    }

    @Test("Each connection has its own stream, with the values simulated before it is read")
    func streams() async throws {
        let mock = MockTransport()
        await mock.simulateReceive(Data([1]))
        try await mock.connect()
        await mock.simulateReceive(Data([2]))
        let first = await mock.receivedData
        await mock.disconnect()
        try await mock.connect()
        await mock.simulateReceive(Data([3]))
        let second = await mock.receivedData
        await mock.disconnect()
        #expect(await first.all() == [[1], [2]])
        #expect(await second.all() == [[3]])
    }
}
