import Foundation
import PocketMesh

/// The code on the first page of the module's documentation; `PageTests` runs the longer example.
func showValues(of device: UUID) async throws {
    let radio = BLEStateMachine()
    await radio.setAutoReconnectingHandler { _ in print("connection lost; reconnecting") }
    await radio.setReconnectionHandler { _, stream in
        Task { for await value in stream { print("\(value.count) bytes") } }
    }
    let stream = try await radio.connect(to: device)
    try await radio.send(Data([1, 3]))
    for await value in stream { print("\(value.count) bytes") }
}
