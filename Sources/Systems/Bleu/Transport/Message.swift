internal import FoundationEssentials

/// A message of a call, which the transport splits into frames.
struct Message: Equatable, Swift.Sendable {
    var kind: FrameKind
    /// The number of the link, chosen by the central.
    var session: UInt16
    /// The number of the call within its session.
    var call: UInt16
    var flags: MessageFlags = []
    var body = Data()
}

/// The purpose of a message.
///
/// Kinds from 8 on are sent by the peripheral.
enum FrameKind: UInt8, CaseIterable, Swift.Sendable {
    /// The arguments of a method.
    case call = 1
    /// Asks for the result of an earlier GATT read.
    case fetch
    /// Ends a call or a stream.
    case cancel
    /// The number of elements that the central accepts.
    case credit
    /// The public key of the central.
    case hello
    /// The result of a method.
    case value = 8
    /// The end of a method without a result.
    case nothing
    /// The error of a method.
    case failure
    /// The reason why the peripheral did not run a method.
    case refusal
    /// The result is a stream.
    case stream
    case element
    /// The end of a stream, with or without an error.
    case end
    /// The public key of the peripheral.
    case helloReply

    /// The side that sends messages of this kind.
    var direction: FrameDirection { rawValue < 8 ? .fromCentral : .fromPeripheral }

    /// Whether a message of this kind has a new call number.
    var startsCall: Bool { self == .call || self == .fetch || self == .hello }

    /// Whether a message of this kind is sealed if the session has a cipher: all but public keys.
    var isSealed: Bool { self != .hello && self != .helloReply }

    /// Whether a message of this kind must be sealed on arrival if the session has a cipher.
    ///
    /// A peripheral that has lost its keys cannot seal its refusal.
    var mustBeSealed: Bool { isSealed && self != .refusal }
}

enum FrameDirection: Swift.Sendable {
    case fromCentral
    case fromPeripheral
}

struct MessageFlags: OptionSet, Hashable, Swift.Sendable {
    let rawValue: UInt8

    /// The body is a raw deflate stream.
    ///
    /// ``BLETransport`` sets and removes this flag.
    static let compressed = Self(rawValue: 1 << 0)
    /// The body is encrypted.
    ///
    /// ``BLETransport`` sets and removes this flag.
    static let sealed = Self(rawValue: 1 << 1)
    /// The body of a call starts with the mangled name of the method and a zero byte.
    static let namesTarget = Self(rawValue: 1 << 2)
    /// The caller does not wait for the end of the method.
    static let needsNoReply = Self(rawValue: 1 << 3)

    /// The flags that only the transport uses.
    static let transportFlags: Self = [.compressed, .sealed]
    static let known: Self = [.compressed, .sealed, .namesTarget, .needsNoReply]
}
