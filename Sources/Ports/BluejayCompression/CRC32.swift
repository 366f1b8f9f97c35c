internal import CBluejayZlib
package import FoundationEssentials

/// The CRC-32 of Ethernet, zip and PNG (ISO 3309), computed by zlib.
package enum CRC32 {
    /// Returns the checksum of data.
    ///
    /// - Parameters:
    ///   - data: The bytes, or the next part of them.
    ///   - checksum: The checksum of the parts before `data`; 0 if `data` is the first part.
    /// - Returns: The checksum of all parts; 0 for no bytes.
    package static func checksum(of data: Data, after checksum: UInt32 = 0) -> UInt32 {
        unsafe data.withUnsafeBytes { bytes in
            let bytes = unsafe bytes.bindMemory(to: UInt8.self)
            return unsafe bluejay_crc32(checksum, bytes.baseAddress, bytes.count)
        }
    }
}
