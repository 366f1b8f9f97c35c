/// Why a call of Bluejay failed, on the central's side or on the peripheral's.
///
/// It is compared and matched by what has happened, whatever it happened to:
///
/// ```swift
/// do {
///     try await bluejay.write(to: latch, value: UInt8(1))
/// } catch BluejayError.notConnected {
///     …
/// } catch BluejayError.missingCharacteristic {    // whichever it is
///     …
/// } catch let error as BluejayError where error.isWorthRetrying {
///     …
/// }
/// ```
///
/// What it happened to, and what the peripheral or BlueZ answered, is in the properties. New kinds come
/// with new versions: a `switch` has a `default`. The page *Errors* has every kind with its cure.
public struct BluejayError: Error, Swift.Sendable {
    private let storage: Storage

    package init(_ kind: Kind) {
        storage = Storage(kind, Context())
    }

    private init(_ kind: Kind, _ context: Context) {
        storage = Storage(kind, context)
    }

    /// What has happened.
    package var kind: Kind { storage.kind }

    var context: Context { storage.context }

    // Errors are handed through queues of values: one word, however much is known.
    private final class Storage: Swift.Sendable {
        let kind: Kind
        let context: Context

        init(_ kind: Kind, _ context: Context) {
            self.kind = kind
            self.context = context
        }
    }

    /// What an error happened to.
    struct Context: Swift.Sendable {
        var operation: Call?
        var peripheral: PeripheralIdentifier?
        var service: ServiceIdentifier?
        var characteristic: CharacteristicIdentifier?
        var descriptor: DescriptorIdentifier?
        var conflict: Conflict?
        var blueZName: String?
        var blueZText: String?
        /// Why a connection failed, in words of this library.
        var reason: String?

        /// What is known of the cause of a failed connection.
        var answer: String? {
            guard let blueZName else { return reason }
            return blueZText.map { $0.isEmpty ? blueZName : "\(blueZName): \($0)" } ?? blueZName
        }
    }

    /// The connection that refuses another one.
    struct Conflict: Swift.Sendable {
        let peripheral: PeripheralIdentifier?
        let isConnected: Bool
        /// Whether the refused call means the same peripheral.
        let isWanted: Bool
    }

    /// A refused connect beside a connection.
    package static func multipleConnect(
        connected peripheral: PeripheralIdentifier,
        isWanted: Bool
    ) -> BluejayError {
        var context = Context()
        context.conflict = Conflict(peripheral: peripheral, isConnected: true, isWanted: isWanted)
        return BluejayError(.multipleConnectNotSupported, context)
    }

    /// A refused connect beside an attempt, which may not have found its peripheral yet.
    package static func multipleConnect(
        connecting peripheral: PeripheralIdentifier?,
        isWanted: Bool
    ) -> BluejayError {
        var context = Context()
        context.conflict = Conflict(peripheral: peripheral, isConnected: false, isWanted: isWanted)
        return BluejayError(.multipleConnectNotSupported, context)
    }

    /// Whether it is the very same error, with all that is known of it.
    package func isIdentical(to other: BluejayError) -> Bool { storage === other.storage }

    /// The same error with what it happened to; what is known already is kept.
    package func during(
        _ operation: Call?,
        of characteristic: CharacteristicIdentifier? = nil,
        descriptor: DescriptorIdentifier? = nil,
        service: ServiceIdentifier? = nil,
        peripheral: PeripheralIdentifier? = nil
    ) -> BluejayError {
        var context = context
        context.operation = context.operation ?? operation
        context.characteristic = context.characteristic ?? characteristic
        context.descriptor = context.descriptor ?? descriptor
        context.service = context.service ?? service
        context.peripheral = context.peripheral ?? peripheral
        return BluejayError(kind, context)
    }

    /// The same error with what BlueZ or the bus answered.
    ///
    /// - Parameters:
    ///   - name: Such as `org.bluez.Error.Failed`.
    ///   - text: The text that came with it.
    /// - Returns: The error that has both.
    package func answered(name: String, text: String) -> BluejayError {
        var context = context
        context.blueZName = name
        context.blueZText = text
        return BluejayError(kind, context)
    }

    /// The same error with the cause of a failed connection or pairing.
    ///
    /// - Parameter answer: The name of an error of BlueZ with its text, or a text of this library.
    /// - Returns: The error that has it.
    package func answered(_ answer: String) -> BluejayError {
        let (name, text) = BlueZAnswer.parts(of: answer)
        guard name.isEmpty else { return answered(name: name, text: text) }
        var context = context
        context.reason = answer
        return BluejayError(kind, context)
    }
}

extension BluejayError: Hashable {
    /// Whether the same has happened, with the same values, to whatever it happened.
    public static func == (left: BluejayError, right: BluejayError) -> Bool {
        left.kind == right.kind
    }

    /// Hashes what has happened.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
    }

    /// What `case` and `catch` do: an error without its value, such as `BluejayError.missingService`,
    /// matches every value.
    public static func ~= (pattern: BluejayError, error: any Error) -> Bool {
        guard let error = error as? BluejayError, pattern.code == error.code else { return false }
        return pattern.kind == error.kind || pattern.facts.isPattern
    }

    /// What `case` does on an optional error.
    public static func ~= (pattern: BluejayError, error: BluejayError?) -> Bool {
        error.map { pattern ~= ($0 as any Error) } ?? false
    }
}
