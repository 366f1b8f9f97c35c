/// What is wrong with a device file, and where.
package struct DeviceFileError: Error, Equatable, CustomStringConvertible {
    /// Such as `services[0].characteristics[2].value`; empty for the file as a whole.
    package let place: String
    /// What is wrong there, in words that go behind the place.
    package let words: String
    /// The line of the place, from 1 on; nil where the words have it, or no line is meant.
    package let line: Int?

    init(place: String, _ words: String, line: Int? = nil) {
        self.place = place
        self.words = words
        self.line = line
    }

    /// The place, the words and the line.
    package var description: String {
        let text = place.isEmpty ? "the file \(words)" : "\(place) \(words)"
        return line.map { "\(text) (line \($0))" } ?? text
    }
}
