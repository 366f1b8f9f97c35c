/// A line of the shell, divided into words as by `sh`.
enum ShellWords {
    /// Divides a line at spaces outside quotes.
    ///
    /// A backslash keeps the next character, except between single quotes. `#` at the beginning of a word starts a
    /// comment.
    ///
    /// - Throws: ``ToolFailure`` if a quote is not closed.
    static func split(_ line: String) throws -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        var isEscaped = false
        for character in line {
            if isEscaped {
                word = (word ?? "") + String(character)
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
                word = word ?? ""
            } else if let open = quote {
                if character == open {
                    quote = nil
                } else {
                    word = (word ?? "") + String(character)
                }
            } else if character == "\"" || character == "'" {
                quote = character
                word = word ?? ""
            } else if character.isWhitespace {
                if let complete = word { words.append(complete) }
                word = nil
            } else if character == "#", word == nil {
                break
            } else {
                word = (word ?? "") + String(character)
            }
        }
        guard quote == nil, !isEscaped else {
            throw ToolFailure("the line ends inside a quotation")
        }
        return words + (word.map { [$0] } ?? [])
    }
}
