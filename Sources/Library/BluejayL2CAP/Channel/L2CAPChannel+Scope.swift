public import BluejayBlueZ
public import BluejayCore
internal import BluejayGLib

extension L2CAPChannel {
    /// Opens a channel, runs a closure and closes the channel.
    ///
    /// ```swift
    /// try await L2CAPChannel.withChannel(to: peer, psm: 0x80) {
    ///     try await $0.send(contentsOf: file)
    /// }
    /// ```
    ///
    /// When the closure returns, the call sends what is queued and waits until the link is down or remains in use by
    /// others. If the closure throws, or the task is cancelled, what is queued is discarded. SIGINT and SIGTERM
    /// cancel the task and end the program when the channel is closed; signals that the program handles or ignores
    /// are left to it.
    ///
    /// - Parameters:
    ///   - peer: A peripheral that is known to bluetoothd or advertising.
    ///   - psm: The PSM on which the peer listens, 1 to 0x00FF.
    ///   - security: The required security of the link.
    ///   - timeout: The time limit for the opening, and again for the packets that are queued at the end.
    ///   - host: The host whose adapter the channel uses.
    ///   - body: Receives the open channel.
    /// - Returns: The result of the closure.
    /// - Throws: The errors of ``open(timeout:)``, otherwise those of the closure or of ``flush(timeout:)``.
    @discardableResult
    public nonisolated(nonsending) static func withChannel<Value>(
        to peer: PeripheralIdentifier,
        psm: UInt16,
        security: L2CAPSecurity = .low,
        timeout: Timeout = .seconds(30),
        host: BluetoothHost = BluetoothHost(),
        _ body: nonisolated(nonsending) (L2CAPChannel) async throws -> Value
    ) async throws -> Value {
        let channel = L2CAPChannel(to: peer, psm: psm, security: security, host: host)
        let result: Result<Value, any Error> = await host.mainLoop.withTerminationScope {
            let result: Result<Value, any Error>
            do {
                try await channel.open(timeout: timeout)
                let value = try await body(channel)
                if !Task.isCancelled { try await channel.flush(timeout: timeout) }
                result = .success(value)
            } catch {
                result = .failure(error)
            }
            await channel.close(timeout: .seconds(-1))
            return result
        }
        return try result.get()
    }
}
