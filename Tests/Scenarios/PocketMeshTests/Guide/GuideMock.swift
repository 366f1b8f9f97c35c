// swift-format-ignore-file
// "MockTransport for Testing", unchanged: a test that uses `#expect`.
import Foundation
import PocketMesh
import Testing

extension Guide {
    static func testWithMock(_ testPacket: Data) async throws -> (MockTransport, MeshCoreSession) {
        let mock = MockTransport()
        let session = MeshCoreSession(transport: mock)
        try await session.start()

        // Simulate receiving data from device
        await mock.simulateReceive(testPacket)

        // Verify sent data (sentData is an array [Data])
        let sentData = await mock.sentData
        #expect(sentData.count == 1)
        #expect(!sentData.isEmpty)

        // Helper methods
        await mock.simulateOK()              // Simulate successful OK response
        await mock.simulateOK(value: 42)     // Simulate OK with 32-bit value
        await mock.simulateError(code: 0x01) // Simulate error response with code
        await mock.clearSentData()           // Clear sent data history
        return (mock, session)
    }
}
