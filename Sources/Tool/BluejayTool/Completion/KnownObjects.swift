import Bluejay
import BluejayAsync
import BluejayGLib
import Dispatch

/// The objects that bluetoothd knows already, for completion; nothing is searched or connected.
enum KnownObjects {
    /// The time limit in seconds; a user waits for the answer.
    private static let timeout = 0.6

    /// Returns the devices of an adapter; empty if bluetoothd does not respond in time.
    static func devices(of adapter: String?) async -> [PeripheralIdentifier] {
        await reply(of: adapter) { try await $0.knownPeripherals().map(\.identifier) }
    }

    /// Returns the names of the adapters; empty if bluetoothd does not respond in time.
    static func adapters() async -> [String] {
        await reply(of: nil) { try await $0.listAdapters().map(\.name) }
    }

    private static func reply<Value: Sendable>(
        of adapter: String?,
        _ request: @escaping @Sendable (Bluejay) async throws -> [Value]
    ) async -> [Value] {
        let (replies, continuation) = AsyncStream.makeStream(of: [Value].self)
        Task {
            let loop = MainLoop(threadName: "completion")
            let bluejay = Bluejay(mainLoop: loop, adapter: adapter)
            await bluejay.start()
            if let values = try? await request(bluejay) { continuation.yield(values) }
            continuation.finish()
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + timeout) { continuation.finish() }
        for await values in replies { return values }
        return []
    }
}
