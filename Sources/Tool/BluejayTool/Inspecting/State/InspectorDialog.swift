import BluejayCore
import Foundation

/// A question at the bottom of the screen; it receives all keys.
struct InspectorDialog: Equatable {
    enum Purpose: Equatable {
        case filter
        /// The value of a write, in a format.
        case value(ValueAttribute, InputFormat)
        /// The consent to a write.
        case write(Data, ValueAttribute)
        /// The consent to a pairing.
        case pair
        /// The file of a recording.
        case recording
        /// A request of the pairing with this number.
        case reply(Int, PairingPrompt)
    }

    /// The bytes of a value that a question shows.
    private static let shownByteCount = 20

    let question: String
    /// The typed text; `nil` for a question that a single key answers.
    var input: LineInput?
    let purpose: Purpose

    private init(_ question: String, _ purpose: Purpose, input: LineInput? = LineInput()) {
        self.question = question
        self.purpose = purpose
        self.input = input
    }

    static func filter() -> InspectorDialog { InspectorDialog("filter:", .filter) }

    static func value(
        _ attribute: ValueAttribute,
        _ format: InputFormat,
        input: LineInput = LineInput()
    ) -> InspectorDialog {
        InspectorDialog(
            "value of \(attribute.title) as \(format.rawValue):",
            .value(attribute, format),
            input: input
        )
    }

    static func write(
        _ value: Data,
        to attribute: ValueAttribute,
        of name: String
    ) -> InspectorDialog {
        let digits = value.prefix(shownByteCount).hexadecimal
        let size = value.count == 1 ? "1 byte" : "\(value.count) bytes"
        let shown = value.count > shownByteCount ? digits + "…" : digits
        let text = value.isEmpty ? "an empty value" : "\(shown) (\(size))"
        return InspectorDialog(
            "write \(text) to \(attribute.title) of \(name)? y/N",
            .write(value, attribute),
            input: nil
        )
    }

    static func pair(with name: String) -> InspectorDialog {
        InspectorDialog("pair with \(name)? y/N", .pair, input: nil)
    }

    static func recording() -> InspectorDialog {
        InspectorDialog("new file of the recording:", .recording)
    }

    static func reply(_ number: Int, _ prompt: PairingPrompt) -> InspectorDialog {
        InspectorDialog(
            prompt.text,
            .reply(number, prompt),
            input: prompt.needsReply ? LineInput() : nil
        )
    }
}

extension InputFormat {
    /// The format after this one in the list.
    var next: InputFormat {
        let all = Self.allCases
        let index = all.firstIndex(of: self) ?? 0
        return all[(index + 1) % all.count]
    }
}
