import Foundation
import PocketMesh

/// A transport that fails where it is told to, and connects when it is let.
actor FaultyTransport: MeshTransport {
    /// What it fails with.
    struct Refusal: Error, Equatable {
        let what: String
    }

    /// Nothing comes.
    let receivedData = AsyncStream<Data> { _ in }
    private(set) var isConnected: Bool
    /// `connect`, `disconnect`, `send`, as they were called.
    private(set) var calls: [String] = []
    private let failing: String?
    private var isHeld: Bool
    private var held: CheckedContinuation<Void, Never>?

    /// Makes one whose call `failing` fails, and which connects with ``letConnect()`` only if it is held.
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

    /// Whether it is being connected.
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
    /// What comes until it ends.
    func all() async -> [[UInt8]] {
        var values: [[UInt8]] = []
        for await value in self { values.append(Array(value)) }
        return values
    }
}
