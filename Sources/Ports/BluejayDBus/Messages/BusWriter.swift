internal import CBluejay
package import FoundationEssentials

/// Writes arguments into a call one by one, without a `BusValue` for each.
///
/// The first value that D-Bus cannot represent makes the whole call fail with `InvalidArgs`; later values are
/// skipped.
@safe package struct BusWriter: ~Copyable {
    private var writer: MessageWriter
    private(set) var failure: BusError?

    init(_ message: BusMessage) {
        writer = unsafe MessageWriter(message.pointer)
    }

    package mutating func string(_ text: String) {
        attempt { (writer) throws(BusError) in try writer.append(string: text) }
    }

    package mutating func uint16(_ number: UInt16) {
        attempt { (writer) throws(BusError) in try writer.append(.uint16(number)) }
    }

    package mutating func boolean(_ flag: Bool) {
        attempt { (writer) throws(BusError) in try writer.append(.boolean(flag)) }
    }

    /// Writes an `ay`, copied once.
    package mutating func data(_ data: Data) {
        attempt { (writer) throws(BusError) in try writer.append(bytes: data) }
    }

    /// Writes an `ay`, copied once.
    package mutating func bytes(_ bytes: [UInt8]) {
        attempt { (writer) throws(BusError) in try writer.append(bytes: bytes) }
    }

    /// Writes an `a{sv}` with one entry, an `ay` that is copied once: `["Value": data]`.
    package mutating func property(_ name: String, _ data: Data) {
        attempt { (writer) throws(BusError) in
            try writer.appendProperties { (writer) throws(BusError) in
                try writer.appendProperty(name) { (writer) throws(BusError) in
                    try writer.appendVariant("ay") { (writer) throws(BusError) in
                        try writer.append(bytes: data)
                    }
                }
            }
        }
    }

    /// Writes a value that was validated before, for example the options of a call.
    package mutating func append(_ value: ValidatedValue) {
        attempt { (writer) throws(BusError) in try writer.append(value.value) }
    }

    /// Writes any value, with the same checks as `MethodCall`.
    package mutating func append(_ value: BusValue) {
        attempt { (writer) throws(BusError) in
            try MessageWriter.check([value])
            try writer.append(value)
        }
    }

    private mutating func attempt(_ write: (inout MessageWriter) throws(BusError) -> Void) {
        guard failure == nil else { return }
        do throws(BusError) {
            try write(&writer)
        } catch {
            failure = error
        }
    }
}

package struct ValidatedValue: Swift.Sendable {
    let value: BusValue

    /// - Throws: `InvalidArgs` if D-Bus cannot represent the value.
    package init(_ value: BusValue) throws(BusError) {
        // A trial write applies all checks once.
        guard let trial = unsafe dbus_message_new(DBUS_MESSAGE_TYPE_SIGNAL) else {
            throw .noMemory
        }
        defer { unsafe dbus_message_unref(trial) }
        try unsafe MessageWriter.append([value], to: trial)
        self.value = value
    }
}
