/// An error in a device file, with its position.
package struct DeviceFileError: Error, Equatable, CustomStringConvertible {
    /// The position, such as `services[0].characteristics[2].value`; empty for the whole file.
    package let place: String
    /// The description of the error, as a predicate that follows the position.
    package let reason: String
    /// The line of the position, from 1; `nil` if the description contains it or no line applies.
    package let line: Int?

    package init(place: String, _ words: String, line: Int? = nil) {
        self.place = place
        self.reason = words
        self.line = line
    }

    package var description: String {
        let text = place.isEmpty ? "the file \(reason)" : "\(place) \(reason)"
        return line.map { "\(text) (line \($0))" } ?? text
    }
}
