extension String {
    /// The text in ASCII, for terminals without UTF-8; each character keeps its width.
    var asciiLookalike: String {
        String(
            flatMap { character -> [Character] in
                if character.isASCII { return [character] }
                if let lookalike = lookalikes[character] { return [lookalike] }
                return Array(repeating: "?", count: String(character).displayWidth)
            }
        )
    }
}

private let lookalikes: [Character: Character] = {
    var lookalikes: [Character: Character] = [
        "─": "-", "│": "|", "├": "|", "└": "`", "…": "~", "↑": "^", "↓": "v",
    ]
    for (block, character) in zip("▁▂▃▄▅▆▇█", "_.-:=+*#") { lookalikes[block] = character }
    return lookalikes
}()
