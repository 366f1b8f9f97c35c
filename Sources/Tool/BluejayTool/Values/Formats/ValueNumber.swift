/// A number in a value, which text and JSON show exactly.
enum ValueNumber: Equatable {
    case signed(Int64)
    case unsigned(UInt64)
    case single(Float)
    case double(Double)

    var doubleValue: Double {
        switch self {
        case .signed(let number): Double(number)
        case .unsigned(let number): Double(number)
        case .single(let number): Double(number)
        case .double(let number): number
        }
    }

    /// The digits, without a zero fraction.
    var text: String {
        switch self {
        case .signed(let number): "\(number)"
        case .unsigned(let number): "\(number)"
        case .single(let number): Self.withoutZeroFraction("\(number)")
        case .double(let number): Self.withoutZeroFraction("\(number)")
        }
    }

    private static func withoutZeroFraction(_ text: String) -> String {
        text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}

extension ValueNumber: Encodable {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .signed(let number): try container.encode(number)
        case .unsigned(let number): try container.encode(number)
        case .single(let number): try container.encode(number)
        case .double(let number): try container.encode(number)
        }
    }
}
