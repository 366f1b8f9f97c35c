internal import BluejayCore
internal import FoundationEssentials

/// The rules for values and parts of values (Core Specification, Vol 3, Part F, 3.2.9).
enum AttributeValueRules {
    /// Refuses an overlong value.
    static func checked(_ value: Data) throws -> Data {
        guard value.count <= ATTLimits.maximumValueLength else {
            throw BluejayError.valueTooLong(
                length: value.count,
                limit: ATTLimits.maximumValueLength
            )
        }
        return value
    }

    /// Returns the value from `offset` on, or nil if the offset exceeds its length.
    static func part(of value: Data, from offset: Int) -> Data? {
        guard offset >= 0, offset <= value.count else { return nil }
        return offset == 0 ? value : Data(value.dropFirst(offset))
    }

    /// Returns the value after `bytes` are written at `offset`; later bytes are removed.
    static func value(_ old: Data, writing bytes: Data, at offset: Int) -> WriteEffect {
        guard offset >= 0, offset <= old.count else { return .rejected(.invalidOffset) }
        guard offset + bytes.count <= ATTLimits.maximumValueLength else {
            return .rejected(.invalidAttributeValueLength)
        }
        return .changed(offset == 0 ? bytes : Data(old.prefix(offset)) + bytes)
    }

    enum WriteEffect: Equatable {
        case changed(Data)
        case rejected(ATTError)
    }
}
