/// A foreign central in the air of a stage: it connects to the adapter of the program under test.
///
/// Characteristics are named by the UUIDs of the Bluetooth SIG in four characters, or in full.
package protocol StagedCentral: AnyObject, Swift.Sendable {
    /// Its address, as the server is told it; nil where the stage does not choose it.
    var address: String? { get }
    /// Connects as soon as it hears an advertisement.
    ///
    /// - Parameter mtu: The ATT MTU that it asks for; another than 517 in bumble's air only.
    /// - Throws: ``StageFailure``, and what the stage's own central fails with.
    func connect(mtu: Int) async throws
    /// Finds a service; what is read, written and subscribed from now on is one of its characteristics.
    func discover(_ service: String) async throws
    /// Reads a characteristic.
    ///
    /// - Throws: ``StagedRefusal``.
    func read(_ characteristic: String) async throws -> [UInt8]
    /// Writes a characteristic, with an answer or without one.
    ///
    /// - Throws: ``StagedRefusal``.
    func write(_ value: [UInt8], to characteristic: String, isAnswered: Bool) async throws
    /// Asks for the values of a characteristic.
    func subscribe(to characteristic: String) async throws
    /// Asks for no more of them.
    func unsubscribe(from characteristic: String) async throws
    /// All values that came since it entered, in order, as soon as there are so many.
    ///
    /// Fewer when it is not connected any more.
    func values(of characteristic: String, atLeast count: Int) async throws -> [[UInt8]]
    /// Whether it has a link to the adapter.
    func isConnected() async throws -> Bool
    /// Ends the link.
    func leave() async throws
    /// Loses the link without a word, as one that goes out of range.
    func vanish() async throws
}

extension StagedCentral {
    /// Connects as soon as it hears an advertisement, and asks for the largest values.
    ///
    /// - Throws: What `connect(mtu:)` does.
    package func connect() async throws { try await connect(mtu: 517) }
}

/// What the server under test has refused to a ``StagedCentral``.
package struct StagedRefusal: Error, Equatable {
    /// The error of the Attribute Protocol; nil where the stage does not tell it.
    package let code: UInt8?

    package init(code: UInt8?) { self.code = code }
}
