internal import BluejayGLib
package import FoundationEssentials

extension UUID {
    /// Creates the UUID of a name in a namespace (RFC 9562, 5.5); equal names have equal UUIDs.
    package init(version5 name: String, in namespace: UUID) {
        let space = namespace.uuid
        let prefix = [
            space.0, space.1, space.2, space.3, space.4, space.5, space.6, space.7,
            space.8, space.9, space.10, space.11, space.12, space.13, space.14, space.15,
        ]
        var octets = SHA1.digest(of: Data(prefix + Array(name.utf8)))
        octets[6] = octets[6] & 0x0F | 0x50
        octets[8] = octets[8] & 0x3F | 0x80
        self.init(
            uuid: (
                octets[0], octets[1], octets[2], octets[3], octets[4], octets[5], octets[6],
                octets[7], octets[8], octets[9], octets[10], octets[11], octets[12], octets[13],
                octets[14], octets[15]
            )
        )
    }
}
