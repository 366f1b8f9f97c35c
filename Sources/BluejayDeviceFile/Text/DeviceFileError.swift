/// What is wrong with a device file, and where.
package struct DeviceFileError: Error, Equatable, CustomStringConvertible {
    /// Such as `services[0].characteristics[2].value`; empty for the file as a whole.
    package let place: String
    /// What is wrong there, in words that go behind the place.
    package let words: String

    init(place: String, _ words: String) {
        self.place = place
        self.words = words
    }

    /// The place and the words.
    package var description: String { place.isEmpty ? "the file \(words)" : "\(place) \(words)" }

    static func place(_ path: [any CodingKey], _ index: Int? = nil) -> String {
        var text = ""
        for key in path {
            if let number = key.intValue {
                text += "[\(number)]"
            } else {
                text += (text.isEmpty ? "" : ".") + key.stringValue
            }
        }
        return text + (index.map { "[\($0)]" } ?? "")
    }

    /// What the decoder says, for people.
    init(_ error: DecodingError) {
        switch error {
        case .typeMismatch(let type, let context):
            self.init(place: Self.place(context.codingPath), "is not \(Self.name(of: type))")
        case .valueNotFound(let type, let context):
            self.init(place: Self.place(context.codingPath), "is not \(Self.name(of: type))")
        case .keyNotFound(let key, let context):
            self.init(place: Self.place(context.codingPath + [key]), "is missing")
        case .dataCorrupted(let context):
            let place = Self.place(context.codingPath)
            self.init(place: place, place.isEmpty ? "is not JSON" : "cannot be read")
        @unknown default: self.init(place: "", "cannot be read")
        }
    }

    private static func name(of type: any Any.Type) -> String {
        switch type {
        case is String.Type: "a text"
        case is Bool.Type: "true or false"
        case is Double.Type: "a whole number"
        case is [Any].Type: "a list"
        case is [String: Any].Type: "an object"
        default: "what belongs there"
        }
    }
}
