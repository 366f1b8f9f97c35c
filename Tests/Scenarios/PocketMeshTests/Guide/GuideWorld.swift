import Foundation
import PocketMesh
import Synchronization

// The surroundings of the document's blocks.

let logger = GuideLogger()

final class GuideLogger: Sendable {
    private let stored = Mutex<[String]>([])

    var lines: [String] { stored.withLock { $0 } }

    func info(_ line: String) { note("info: \(line)") }

    func warning(_ line: String) { note("warning: \(line)") }

    func error(_ line: String) { note("error: \(line)") }

    private func note(_ line: String) { stored.withLock { $0.append(line) } }
}

extension Guide {
    /// The actor that contains the method of one block.
    actor Transport {
        let stateMachine: BLEStateMachine
        private(set) var hasStream = false

        init(_ stateMachine: BLEStateMachine) {
            self.stateMachine = stateMachine
        }

        func setDataStream(_ stream: AsyncStream<Data>) { hasStream = true }
    }

    /// The manager that contains the method of another block.
    actor Manager {
        let transport: iOSBLETransport
        private(set) var reconnected: [UUID] = []

        init(_ transport: iOSBLETransport) {
            self.transport = transport
        }

        func handleReconnection(deviceID: UUID) { reconnected.append(deviceID) }
    }
}

// The document's protocol equals the library's, in both directions.

extension iOSBLETransport: Guide.MeshTransport {}
extension BLETransport: Guide.MeshTransport {}
extension MockTransport: Guide.MeshTransport {}

/// A transport written for the document's protocol.
struct GuideAdapter: MeshTransport, Guide.MeshTransport {
    let transport: any Guide.MeshTransport

    var receivedData: AsyncStream<Data> { get async { await transport.receivedData } }
    var isConnected: Bool { get async { await transport.isConnected } }
    func connect() async throws { try await transport.connect() }
    func disconnect() async { await transport.disconnect() }
    func send(_ data: Data) async throws { try await transport.send(data) }
}
