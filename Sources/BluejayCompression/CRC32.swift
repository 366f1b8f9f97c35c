package import FoundationEssentials

/// The CRC-32 of Ethernet, zip and PNG (ISO 3309: polynomial 04C11DB7, reflected).
package enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }

    /// The checksum of data; of nothing it is 0.
    package static func checksum(of data: Data) -> UInt32 {
        ~data.reduce(0xFFFF_FFFF) { crc, byte in
            crc >> 8 ^ table[Int(UInt8(truncatingIfNeeded: crc) ^ byte)]
        }
    }
}
