/// The operations that a characteristic or a descriptor supports, and the link security that they
/// require.
///
/// Each option is a flag in `Flags` of BlueZ's GATT API, for peripherals and for local services. The
/// first eight are the bits of the Core Specification, Vol 3, Part G, 3.3.1.1.
public struct AttributeProperties: OptionSet, Hashable, Swift.Sendable {
    /// The options as bits.
    public let rawValue: UInt32

    /// Creates a set from bits; unknown bits are refused when the service is added.
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
    /// The value can be written without a response.
    ///
    /// BlueZ then answers every write itself, including writes with response, so that a refusal does not
    /// reach the central. Omit this option if refusals matter.
    public static let writeWithoutResponse = AttributeProperties(bit: 2)
    /// The value can be written with a response.
    public static let write = AttributeProperties(bit: 3)
    /// Centrals can subscribe to notifications, which they do not confirm.
    public static let notify = AttributeProperties(bit: 4)
    /// Centrals can subscribe to indications, which they confirm.
    public static let indicate = AttributeProperties(bit: 5)
    /// The value can be written with a signature instead of over an encrypted link.
    public static let authenticatedSignedWrites = AttributeProperties(bit: 6)
    /// The characteristic has the Extended Properties descriptor.
    ///
    /// BlueZ creates the descriptor for local services, which therefore refuse this option.
    public static let extendedProperties = AttributeProperties(bit: 7)
    /// Writes in several parts are checked before they are applied.
    public static let reliableWrite = AttributeProperties(bit: 8)
    /// The user description of the characteristic can be written.
    public static let writableAuxiliaries = AttributeProperties(bit: 9)
    /// Reading requires an encrypted link; pairing starts automatically.
    public static let encryptRead = AttributeProperties(bit: 10)
    /// Writing requires an encrypted link.
    public static let encryptWrite = AttributeProperties(bit: 11)
    /// Subscribing to notifications requires an encrypted link (BlueZ 5.62 and later).
    public static let encryptNotify = AttributeProperties(bit: 12)
    /// Subscribing to indications requires an encrypted link (BlueZ 5.62 and later).
    public static let encryptIndicate = AttributeProperties(bit: 13)
    /// Reading requires a link encrypted with an authenticated key, which people have confirmed.
    public static let encryptAuthenticatedRead = AttributeProperties(bit: 14)
    /// Writing requires a link encrypted with an authenticated key.
    public static let encryptAuthenticatedWrite = AttributeProperties(bit: 15)
    /// Subscribing to notifications requires a link encrypted with an authenticated key (BlueZ 5.62 and
    /// later).
    public static let encryptAuthenticatedNotify = AttributeProperties(bit: 16)
    /// Subscribing to indications requires a link encrypted with an authenticated key (BlueZ 5.62 and
    /// later).
    public static let encryptAuthenticatedIndicate = AttributeProperties(bit: 17)
    /// Reading requires LE Secure Connections with an authenticated key.
    public static let secureRead = AttributeProperties(bit: 18)
    /// Writing requires LE Secure Connections with an authenticated key.
    public static let secureWrite = AttributeProperties(bit: 19)
    /// Subscribing to notifications requires LE Secure Connections (BlueZ 5.62 and later).
    public static let secureNotify = AttributeProperties(bit: 20)
    /// Subscribing to indications requires LE Secure Connections (BlueZ 5.62 and later).
    public static let secureIndicate = AttributeProperties(bit: 21)
    /// Prepared writes of untrusted devices require permission.
    ///
    /// The request arrives as a `WriteRequest` whose `isPrepareAuthorization` is true. The option
    /// protects nothing else: use the `encrypt` and `secure` options for that.
    public static let authorize = AttributeProperties(bit: 22)

    /// The properties of a characteristic that permit writes.
    package static let writable: AttributeProperties = [
        .write, .writeWithoutResponse, .authenticatedSignedWrites, .reliableWrite,
    ]

    /// All options that let centrals subscribe.
    package static let subscribable: AttributeProperties = [
        .notify, .indicate, .encryptNotify, .encryptIndicate, .encryptAuthenticatedNotify,
        .encryptAuthenticatedIndicate, .secureNotify, .secureIndicate,
    ]

    /// All options that a descriptor supports.
    package static let allowedOnDescriptors: AttributeProperties = [
        .read, .write, .encryptRead, .encryptWrite, .encryptAuthenticatedRead,
        .encryptAuthenticatedWrite, .secureRead, .secureWrite, .authorize,
    ]

    /// The flags of BlueZ, by bit.
    private static let flagNames = [
        "broadcast", "read", "write-without-response", "write", "notify", "indicate",
        "authenticated-signed-writes", "extended-properties", "reliable-write",
        "writable-auxiliaries", "encrypt-read", "encrypt-write", "encrypt-notify",
        "encrypt-indicate", "encrypt-authenticated-read", "encrypt-authenticated-write",
        "encrypt-authenticated-notify", "encrypt-authenticated-indicate", "secure-read",
        "secure-write", "secure-notify", "secure-indicate", "authorize",
    ]

    /// All options that a local service supports.
    package static let local = AttributeProperties(rawValue: 1 << UInt32(flagNames.count) - 1)
        .subtracting(.extendedProperties)

    /// Reads `Flags`; unknown flags are ignored.
    package init(flags: some Sequence<String>) {
        var bits: UInt32 = 0
        for word in flags {
            if let bit = Self.flagNames.firstIndex(of: word) { bits |= 1 << UInt32(bit) }
        }
        rawValue = bits
    }

    /// The flags of BlueZ, in the order of the options above.
    package var flags: [String] {
        Self.flagNames.indices.filter { rawValue & 1 << UInt32($0) != 0 }.map { Self.flagNames[$0] }
    }
}

extension AttributeProperties: CustomStringConvertible {
    /// The flags of BlueZ, such as `read, notify`.
    public var description: String { flags.joined(separator: ", ") }
}
