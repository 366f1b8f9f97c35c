internal import BluejayCore
internal import FoundationEssentials

/// Names that fit into the scan response of an advertisement.
package enum AdvertisedName {
    /// Returns as many characters of `name` as fit into 29 bytes of UTF-8.
    package static func truncate(_ name: String) -> String {
        var length = 0
        return String(
            name.prefix { character in
                length += character.utf8.count
                return length <= LocalAdvertisement.maximumNameLength
            }
        )
    }
}
