/// What can be done with a characteristic or a descriptor, and what the link must be for it.
///
/// Each option is one word of `Flags` in BlueZ's GATT API, of a peripheral as of a service of this
/// machine. The first eight are the bits of the Core Specification, Vol 3, Part G, 3.3.1.1.
public struct AttributeProperties: OptionSet, Hashable, Swift.Sendable {
    /// One bit an option.
    public let rawValue: UInt32

    /// Makes a set from bits; unknown ones are refused when the service is added.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    private init(bit: UInt32) {
        rawValue = 1 << bit
    }

    /// The value can be part of the advertisement.
    public static let broadcast = AttributeProperties(bit: 0)
    /// The value can be read.
    public static let read = AttributeProperties(bit: 1)
    /// The value can be written without an answer.
    ///
    /// BlueZ then answers every write by itself, also one with response: a refusal does not reach
    /// the central. Leave it away where refusals matter.
    public static let writeWithoutResponse = AttributeProperties(bit: 2)
    /// The value can be written.
    public static let write = AttributeProperties(bit: 3)
    /// Centrals may subscribe to values that they do not confirm.
    public static let notify = AttributeProperties(bit: 4)
    /// Centrals may subscribe to values that they confirm.
    public static let indicate = AttributeProperties(bit: 5)
    /// The value can be written with a signature instead of an encrypted link.
    public static let authenticatedSignedWrites = AttributeProperties(bit: 6)
    /// The characteristic has the descriptor Extended Properties; BlueZ makes it for services of this
    /// machine, so that there it is refused.
    public static let extendedProperties = AttributeProperties(bit: 7)
    /// Writes of several parts are checked before they are applied.
    public static let reliableWrite = AttributeProperties(bit: 8)
    /// The description of the characteristic can be written.
    public static let writableAuxiliaries = AttributeProperties(bit: 9)
    /// Reading needs an encrypted link; pairing begins by itself.
    public static let encryptRead = AttributeProperties(bit: 10)
    /// Writing needs an encrypted link.
    public static let encryptWrite = AttributeProperties(bit: 11)
    /// Subscribing to notifications needs an encrypted link (BlueZ 5.62 and later).
    public static let encryptNotify = AttributeProperties(bit: 12)
    /// Subscribing to indications needs an encrypted link (BlueZ 5.62 and later).
    public static let encryptIndicate = AttributeProperties(bit: 13)
    /// Reading needs a link that is encrypted with a key that people have confirmed.
    public static let encryptAuthenticatedRead = AttributeProperties(bit: 14)
    /// Writing needs a link that is encrypted with a key that people have confirmed.
    public static let encryptAuthenticatedWrite = AttributeProperties(bit: 15)
    /// Subscribing to notifications needs such a link (BlueZ 5.62 and later).
    public static let encryptAuthenticatedNotify = AttributeProperties(bit: 16)
    /// Subscribing to indications needs such a link (BlueZ 5.62 and later).
    public static let encryptAuthenticatedIndicate = AttributeProperties(bit: 17)
    /// Reading needs LE Secure Connections with a confirmed key.
    public static let secureRead = AttributeProperties(bit: 18)
    /// Writing needs LE Secure Connections with a confirmed key.
    public static let secureWrite = AttributeProperties(bit: 19)
    /// Subscribing to notifications needs LE Secure Connections (BlueZ 5.62 and later).
    public static let secureNotify = AttributeProperties(bit: 20)
    /// Subscribing to indications needs LE Secure Connections (BlueZ 5.62 and later).
    public static let secureIndicate = AttributeProperties(bit: 21)
    /// Prepared writes of devices that are not trusted are asked for first.
    ///
    /// They come as a `WriteRequest` whose `isQuestion` is true. It guards nothing
    /// else: use the `encrypt` and `secure` options for that.
    public static let authorize = AttributeProperties(bit: 22)

    /// Everything that lets centrals subscribe.
    package static let subscribing: AttributeProperties = [
        .notify, .indicate, .encryptNotify, .encryptIndicate, .encryptAuthenticatedNotify,
        .encryptAuthenticatedIndicate, .secureNotify, .secureIndicate,
    ]

    /// Everything a descriptor may have.
    package static let ofDescriptors: AttributeProperties = [
        .read, .write, .encryptRead, .encryptWrite, .encryptAuthenticatedRead,
        .encryptAuthenticatedWrite, .secureRead, .secureWrite, .authorize,
    ]

    /// BlueZ's words, by bit.
    private static let words = [
        "broadcast", "read", "write-without-response", "write", "notify", "indicate",
        "authenticated-signed-writes", "extended-properties", "reliable-write",
        "writable-auxiliaries", "encrypt-read", "encrypt-write", "encrypt-notify",
        "encrypt-indicate", "encrypt-authenticated-read", "encrypt-authenticated-write",
        "encrypt-authenticated-notify", "encrypt-authenticated-indicate", "secure-read",
        "secure-write", "secure-notify", "secure-indicate", "authorize",
    ]

    /// Everything that a service of this machine may have.
    package static let local = AttributeProperties(rawValue: 1 << UInt32(words.count) - 1)
        .subtracting(.extendedProperties)

    /// Reads the words of `Flags`; unknown ones are passed over.
    package init(flags: some Sequence<String>) {
        var bits: UInt32 = 0
        for word in flags {
            if let bit = Self.words.firstIndex(of: word) { bits |= 1 << UInt32(bit) }
        }
        rawValue = bits
    }

    /// The words of `Flags`, in the order of the options above.
    package var flags: [String] {
        Self.words.indices.filter { rawValue & 1 << UInt32($0) != 0 }.map { Self.words[$0] }
    }
}

extension AttributeProperties: CustomStringConvertible {
    /// The words of BlueZ, such as `read, notify`.
    public var description: String { flags.joined(separator: ", ") }
}
