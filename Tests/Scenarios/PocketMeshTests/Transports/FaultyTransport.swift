import Foundation
import PocketMesh

/// A transport that fails on demand and can hold back its connection.
actor FaultyTransport: MeshTransport {
    struct Refusal: Error, Equatable {
        let what: String
    }

    let receivedData = AsyncStream<Data> { _ in }
    private(set) var isConnected: Bool
    /// The calls of `connect`, `disconnect` and `send`, in order.
    private(set) var calls: [String] = []
    private let failing: String?
    private var isHeld: Bool
    private var held: CheckedContinuation<Void, Never>?

    /// Creates a transport whose call `failing` fails; if `isHeld`, it connects only after ``letConnect()``.
    init(failing: String? = nil, isHeld: Bool = false, isConnected: Bool = false) {
        self.failing = failing
        self.isHeld = isHeld
        self.isConnected = isConnected
    }

    func connect() async throws {
        try note("connect")
        if isHeld { await withCheckedContinuation { held = $0 } }
        isConnected = true
    }

    func disconnect() async {
        calls.append("disconnect")
        isConnected = false
    }

    func send(_ data: Data) async throws { try note("send") }

    var isConnecting: Bool { held != nil }

    func letConnect() {
        isHeld = false
        held?.resume()
        held = nil
    }

    private func note(_ call: String) throws {
        calls.append(call)
        if call == failing { throw Refusal(what: call) }
    }
}

extension AsyncStream<Data> {
    func all() async -> [[UInt8]] {
        var values: [[UInt8]] = []
        for await value in self { values.append(Array(value)) }
        return values
    }
}
