/// The commands of a block of shell: words, without comments, redirections and quotes.
///
/// It splits at line breaks, `;`, `|`, `&` and their doubles, which is all that the pages use.
func shellCommands(_ text: String) -> [[String]] {
    var commands: [[String]] = []
    var words: [String] = []
    var word: String?
    var isTarget = false
    let characters = Array(text)
    var place = 0

    func endWord() {
        guard let ended = word else { return }
        if isTarget { isTarget = false } else { words.append(ended) }
        word = nil
    }
    func endCommand() {
        endWord()
        if !words.isEmpty { commands.append(words) }
        words = []
    }
    /// Appends everything up to the end of a quotation or a substitution.
    func quote(until end: Character, from start: Int) {
        var depth = 1
        place = start
        while place < characters.count {
            if end == ")", characters[place] == "(" { depth += 1 }
            if characters[place] == end { depth -= 1 }
            if depth == 0 { return }
            word = (word ?? "") + String(characters[place])
            place += 1
        }
    }

    while place < characters.count {
        let character = characters[place]
        let next = place + 1 < characters.count ? characters[place + 1] : nil
        switch character {
        case "\\" where next == "\n": place += 1
        case "'", "\"":
            word = word ?? ""
            quote(until: character, from: place + 1)
        case "$" where next == "(":
            word = word ?? ""
            quote(until: ")", from: place + 2)
        case "#" where word == nil:
            while place + 1 < characters.count, characters[place + 1] != "\n" { place += 1 }
        case " ": endWord()
        case ">":
            endWord()
            isTarget = true
        case "\n", ";", "|", "&": endCommand()
        default: word = (word ?? "") + String(character)
        }
        place += 1
    }
    endCommand()
    return commands
}
