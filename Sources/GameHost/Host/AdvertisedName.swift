/// Names that fit an advertisement.
enum AdvertisedName {
    /// The most bytes of UTF-8 that the packet beside the advertisement has for a name.
    static let limit = 29

    /// As many characters as fit; none is cut in two.
    static func cut(_ name: String) -> String {
        var length = 0
        return String(
            name.prefix { character in
                length += character.utf8.count
                return length <= limit
            }
        )
    }
}
