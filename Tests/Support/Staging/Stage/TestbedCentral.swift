/// A foreign central in the air of a testbed: it connects to the adapter of the program under test.
///
/// Characteristics are named by the UUIDs of the Bluetooth SIG in four characters, or in full.
package protocol TestbedCentral: AnyObject, Swift.Sendable {
    /// Its address as the server sees it; `nil` if the testbed does not choose it.
    var address: String? { get }
    /// Connects at the next advertisement.
    ///
    /// - Parameter mtu: The requested ATT MTU; a value other than 517 requires bumble's air.
    /// - Throws: ``TestbedError``, and the errors of the testbed's own central.
    func connect(mtu: Int) async throws
    /// Discovers a service; later reads, writes and subscriptions use its characteristics.
    func discover(_ service: String) async throws
    /// Reads a characteristic.
    ///
    /// - Throws: ``TestbedATTError``.
    func read(_ characteristic: String) async throws -> [UInt8]
    /// Writes a characteristic, with or without response.
    ///
    /// - Throws: ``TestbedATTError``.
    func write(_ value: [UInt8], to characteristic: String, isAnswered: Bool) async throws
    func subscribe(to characteristic: String) async throws
    func unsubscribe(from characteristic: String) async throws
    /// Returns all values since the central was added, in order, once `count` have arrived.
    ///
    /// Returns fewer if the central is disconnected.
    func values(of characteristic: String, atLeast count: Int) async throws -> [[UInt8]]
    func isConnected() async throws -> Bool
    func disconnect() async throws
    /// Loses the link without a message, as a device that moves out of range.
    func loseLink() async throws
}

extension TestbedCentral {
    /// Connects at the next advertisement, and requests the largest MTU.
    ///
    /// - Throws: As `connect(mtu:)`.
    package func connect() async throws { try await connect(mtu: 517) }
}

/// An error with which the server under test rejects a request of a ``TestbedCentral``.
package struct TestbedATTError: Error, Equatable {
    /// The ATT error; `nil` if the testbed does not report it.
    package let code: UInt8?

    package init(code: UInt8?) { self.code = code }
}
