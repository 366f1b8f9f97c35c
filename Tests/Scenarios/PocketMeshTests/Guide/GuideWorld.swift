import Foundation
import PocketMesh
import Synchronization

// What the document's blocks stand in, or speak of.

let logger = GuideLogger()

/// The lines that an app has logged.
final class GuideLogger: Sendable {
    private let stored = Mutex<[String]>([])

    var lines: [String] { stored.withLock { $0 } }

    func info(_ line: String) { note("info: \(line)") }

    func warning(_ line: String) { note("warning: \(line)") }

    func error(_ line: String) { note("error: \(line)") }

    private func note(_ line: String) { stored.withLock { $0.append(line) } }
}

extension Guide {
    /// The actor whose method one of the blocks is.
    actor Transport {
        let stateMachine: BLEStateMachine
        private(set) var hasStream = false

        init(_ stateMachine: BLEStateMachine) {
            self.stateMachine = stateMachine
        }

        func setDataStream(_ stream: AsyncStream<Data>) { hasStream = true }
    }

    /// The manager that another one is from.
    actor Manager {
        let transport: iOSBLETransport
        private(set) var reconnected: [UUID] = []

        init(_ transport: iOSBLETransport) {
            self.transport = transport
        }

        func handleReconnection(deviceID: UUID) { reconnected.append(deviceID) }
    }
}

// The document's protocol is the library's, in both directions.

extension iOSBLETransport: Guide.MeshTransport {}
extension BLETransport: Guide.MeshTransport {}
extension MockTransport: Guide.MeshTransport {}

/// A transport that was written for the document's protocol.
struct GuideAdapter: MeshTransport, Guide.MeshTransport {
    let transport: any Guide.MeshTransport

    var receivedData: AsyncStream<Data> { get async { await transport.receivedData } }
    var isConnected: Bool { get async { await transport.isConnected } }
    func connect() async throws { try await transport.connect() }
    func disconnect() async { await transport.disconnect() }
    func send(_ data: Data) async throws { try await transport.send(data) }
}
