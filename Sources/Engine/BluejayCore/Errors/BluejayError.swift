/// An error of Bluejay, as a central or as a peripheral.
///
/// Comparison uses the kind of error and its values, regardless of the failed call. A pattern without a
/// value matches every value:
///
/// ```swift
/// do {
///     try await bluejay.write(to: latch, value: UInt8(1))
/// } catch BluejayError.notConnected {
///     print("connect first")
/// } catch BluejayError.missingCharacteristic {  // with any identifier
///     print("this is no lock")
/// } catch let error as BluejayError where error.isRetryable {
///     print("later: \(error)")
/// }
/// ```
///
/// The properties contain the affected object and the reply of the peripheral or BlueZ. New versions add
/// new kinds, so a `switch` requires a `default`. The page *Errors* lists every kind with its remedy.
public struct BluejayError: Error, Swift.Sendable {
    private let storage: Storage

    package init(_ kind: Kind) {
        storage = Storage(kind, Context())
    }

    private init(_ kind: Kind, _ context: Context) {
        storage = Storage(kind, context)
    }

    /// The kind of error, with its values.
    package var kind: Kind { storage.kind }

    var context: Context { storage.context }

    // Queues of values contain errors: a reference keeps each one a single word.
    private final class Storage: Swift.Sendable {
        let kind: Kind
        let context: Context

        init(_ kind: Kind, _ context: Context) {
            self.kind = kind
            self.context = context
        }
    }

    /// The call and the objects of an error.
    struct Context: Swift.Sendable {
        var operation: Call?
        var peripheral: PeripheralIdentifier?
        var service: ServiceIdentifier?
        var characteristic: CharacteristicIdentifier?
        var descriptor: DescriptorIdentifier?
        var conflict: Conflict?
        var blueZName: String?
        var blueZText: String?
        /// Whether this computer has keys of the peripheral.
        var isBonded = false
        /// The reason for a failed connection, if this library found it.
        var reason: String?

        /// The known cause of a failed connection.
        var connectionFailureCause: String? {
            guard let blueZName else { return reason }
            return blueZText.map { $0.isEmpty ? blueZName : "\(blueZName): \($0)" } ?? blueZName
        }
    }

    /// The connection that prevents another one.
    struct Conflict: Swift.Sendable {
        let peripheral: PeripheralIdentifier?
        let isConnected: Bool
        /// Whether the refused call names the same peripheral.
        let isSamePeripheral: Bool
    }

    /// Creates the error for a connect during a connection.
    package static func multipleConnect(
        connected peripheral: PeripheralIdentifier,
        isSamePeripheral: Bool
    ) -> BluejayError {
        var context = Context()
        context.conflict = Conflict(
            peripheral: peripheral,
            isConnected: true,
            isSamePeripheral: isSamePeripheral
        )
        return BluejayError(.multipleConnectNotSupported, context)
    }

    /// Creates the error for a connect during another attempt, which may not have found its peripheral
    /// yet.
    package static func multipleConnect(
        connecting peripheral: PeripheralIdentifier?,
        isSamePeripheral: Bool
    ) -> BluejayError {
        var context = Context()
        context.conflict = Conflict(
            peripheral: peripheral,
            isConnected: false,
            isSamePeripheral: isSamePeripheral
        )
        return BluejayError(.multipleConnectNotSupported, context)
    }

    /// Whether both are the same instance.
    package func isIdentical(to other: BluejayError) -> Bool { storage === other.storage }

    /// Returns the same error with its context; known details are preserved.
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

    /// Returns the same error with the reply of BlueZ or the bus, such as `org.bluez.Error.Failed`.
    package func withBlueZError(name: String, text: String) -> BluejayError {
        var context = context
        context.blueZName = name
        context.blueZText = text
        return BluejayError(kind, context)
    }

    /// Returns the same error with a reason that replaces its sentence or a part of it.
    package func withReason(_ reason: String?) -> BluejayError {
        guard let reason else { return self }
        var context = context
        context.reason = reason
        return BluejayError(kind, context)
    }

    /// Returns the same error for a peripheral of which this computer has keys, or has none.
    package func withBond(_ isBonded: Bool) -> BluejayError {
        var context = context
        context.isBonded = isBonded
        return BluejayError(kind, context)
    }

    /// Returns the same error with the cause of a failed connection or pairing.
    ///
    /// The cause is an error name of BlueZ with its text, or a text of this library.
    package func withCause(_ cause: String) -> BluejayError {
        let (name, text) = BlueZAnswer.parts(of: cause)
        guard name.isEmpty else { return withBlueZError(name: name, text: text) }
        var context = context
        context.reason = cause
        return BluejayError(kind, context)
    }
}

extension BluejayError: Hashable {
    /// Whether both errors have the same kind and values, regardless of the affected objects.
    public static func == (left: BluejayError, right: BluejayError) -> Bool {
        left.kind == right.kind
    }

    /// Hashes the kind and its values.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
    }

    /// Matches an error in a `case` or `catch`.
    ///
    /// A pattern without a value, such as `BluejayError.missingService`, matches every value.
    public static func ~= (pattern: BluejayError, error: any Error) -> Bool {
        guard let error = error as? BluejayError, pattern.code == error.code else { return false }
        return pattern.kind == error.kind || pattern.details.isPattern
    }

    /// Matches an optional error in a `case`.
    public static func ~= (pattern: BluejayError, error: BluejayError?) -> Bool {
        error.map { pattern ~= ($0 as any Error) } ?? false
    }
}
